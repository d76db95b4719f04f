// Advertising that the controller ends without a link, since directed advertising has lasted as long as it may
// (Vol 4, Part E, 7.7.65.1): there is no link whose end could be waited for.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Advertiser: the end of its time")
struct AdvertisingTimeLimitTests {
    private let request = AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))
    private let other = AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 4]))

    /// A host that advertises.
    private func advertising() -> HostTestbed {
        let testbed = HostTestbed.started()
        testbed.host.startAdvertising(self.request) { _ in }
        testbed.run()
        testbed.forget()
        return testbed
    }

    @Test("Without a link, a controller that refuses to advertise again is not waited for")
    func refusedAgain() {
        let testbed = self.advertising()
        testbed.controller.refused[LESetAdvertisingEnable.opcode] = .commandDisallowed
        testbed.controller.failConnection(.advertisingTimeout)
        testbed.run()
        #expect(testbed.controller.takeCommands() == [LESetAdvertisingEnable.opcode])
        #expect(testbed.host.advertiser.isOff && !testbed.host.advertiser.isWanted)
    }

    @Test("Without a link, a later request that the controller refuses fails")
    func refusedLater() {
        let testbed = self.advertising()
        testbed.controller.failConnection(.advertisingTimeout)
        testbed.run()
        #expect(testbed.controller.takeCommands() == [LESetAdvertisingEnable.opcode])
        testbed.host.stopAdvertising()
        testbed.run()
        testbed.controller.refused[LESetAdvertisingEnable.opcode] = .commandDisallowed
        var errors: [LEHostError?] = []
        testbed.host.startAdvertising(self.other) { result in
            switch result {
            case .success: errors.append(nil)
            case .failure(let error): errors.append(error)
            }
        }
        testbed.run()
        #expect(errors == [LEHostError.refused(.commandDisallowed)])
    }

    @Test("With a link, a controller that refuses to advertise again is asked when that link has ended")
    func refusedBesideLink() {
        let testbed = self.advertising()
        _ = testbed.acceptLink(0x40)
        testbed.controller.refused[LESetAdvertisingEnable.opcode] = .commandDisallowed
        testbed.controller.failConnection(.advertisingTimeout)
        testbed.run()
        testbed.controller.refused = [:]
        testbed.forget()
        testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
        testbed.run()
        #expect(testbed.controller.takeCommands() == [LESetAdvertisingEnable.opcode])
    }
}
