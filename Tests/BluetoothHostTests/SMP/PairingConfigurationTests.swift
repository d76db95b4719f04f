// How a device pairs where nothing is said, and when its user is asked.

import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Configuration of pairing")
struct PairingConfigurationTests {
    @Test("A configuration of which nothing is said pairs with anybody, by Just Works, with whole keys")
    func defaults() {
        let configuration = PairingConfiguration()
        #expect(configuration.isPairingAllowed && configuration.isBondable)
        #expect(configuration.ioCapability == .noInputNoOutput)
        #expect(!configuration.prefersMITMProtection && configuration.minimumLevel == .encrypted)
        #expect(configuration.supportsSecureConnections && !configuration.isSecureConnectionsOnly)
        #expect(configuration.minimumKeySize == 16 && configuration.maximumKeySize == 16)
        #expect(!configuration.usesKeypressNotifications)
        #expect(configuration.initiatorKeys.rawValue == 0x03 && configuration.responderKeys.rawValue == 0x03)
        #expect(configuration.identity == nil)
        #expect(configuration.consent == .whenReplacingBond && !configuration.acceptsDebugKey)
    }

    @Test("Who is asked follows from the policy and from whether keys are replaced")
    func consent() {
        for (policy, first, replacing) in [
            (.always, true, true), (.whenReplacingBond, false, true), (.never, false, false),
        ] as [(PairingConsentPolicy, Bool, Bool)] {
            #expect(policy.asksUser(replacesBond: false) == first)
            #expect(policy.asksUser(replacesBond: true) == replacing)
        }
    }
}
