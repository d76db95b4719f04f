// What an adapter does where a program says nothing of it.

import Fixtures
import Foundation
import Testing

@testable import CoreBluetooth

@Suite("Defaults of an adapter")
struct AdapterConfigurationTests {
    @Test("It pairs where it is asked to, publishes no services of the system, and calls back at once")
    func defaults() {
        let configuration = BluetoothAdapter.Configuration()
        #expect(configuration.preferredMTU == 517 && configuration.callbackDelay == .zero)
        #expect(configuration.permitsPairing && !configuration.requiresPairing && configuration.pairingAgent == nil)
        #expect(!configuration.permitsSystemServices && !configuration.permitsManufacturerData)
        #expect(!configuration.losesOverrunningWrites && configuration.usesCachedDatabases)
        #expect(configuration.deviceName == nil && configuration.identity == nil && configuration.captureFile == nil)
        #expect(configuration.distance == nil && configuration.position == nil && configuration.privacy == nil)
        #expect(configuration.controllerToHostFlowControl == nil)
    }

    @Test(
        "The environment names the identity, the capture and the distance; what is empty says nothing",
        arguments: [
            ([:], nil, nil, nil), (["COREBLUETOOTH_IDENTITY": ""], nil, nil, nil),
            (["COREBLUETOOTH_IDENTITY": "anna"], "anna", nil, nil), (["COREBLUETOOTH_CAPTURE": ""], nil, nil, nil),
            (["COREBLUETOOTH_CAPTURE": "a.btsnoop"], nil, "a.btsnoop", nil),
            (["COREBLUETOOTH_DISTANCE": "0"], nil, nil, 0), (["COREBLUETOOTH_DISTANCE": "2.5"], nil, nil, 2.5),
            (["COREBLUETOOTH_DISTANCE": ""], nil, nil, nil),
        ] as [([String: String], String?, String?, Double?)]
    )
    func environment(variables: [String: String], identity: String?, capture: String?, distance: Double?) {
        let configuration = BluetoothAdapter.Configuration(environment: variables)
        #expect(configuration.identity == identity)
        #expect(configuration.captureFile == capture)
        #expect(configuration.distance == distance)
    }

    @Test("A distance that is none is refused", arguments: ["-1", "inf", "nan", "near"])
    func wrongDistance(text: String) {
        CapturedLog().capture {
            let configuration = BluetoothAdapter.Configuration(environment: ["COREBLUETOOTH_DISTANCE": text])
            #expect(configuration.distance == nil)
        }
    }
}
