import CoreBluetooth
import Foundation
import NIOCore
import Testbed
import Testing

@testable @_spi(Steps) import ITCB

@Suite("The SDK's central")
struct ITCB_SDK_CentralTests {
    private let testbed = Testbed()

    /// A central, and a ball that is out of its range but known to its adapter.
    private func heardBall() throws -> (ball: Ball, central: Asker, peripheral: CBPeripheral) {
        let ball = testbed.ball("Far", distance: 20)
        let adapter = testbed.adapter()
        let central = Asker(in: testbed, on: adapter)
        let helper = ForeignCentral(on: adapter)
        testbed.run { helper.peripheral?.name != nil }
        testbed.run(.seconds(1))
        return (ball, central, try central.peripheral(foundBy: helper))
    }

    @Test(
        "offers a ball from -60 to -20 dBm, or of unknown strength",
        arguments: [
            (-127, false), (-61, false), (-60, true), (-20, true), (-19, false), (20, false), (127, true),
        ]
    )
    func window(strength: Int, isOffered: Bool) throws {
        let (ball, central, peripheral) = try self.heardBall()
        #expect(central.found.isEmpty)
        central.sdk.centralManager(
            try #require(central.sdk.centralManagerInstance),
            didDiscover: peripheral,
            advertisementData: [CBAdvertisementDataLocalNameKey: "Far"],
            rssi: NSNumber(value: strength)
        )
        #expect(central.steps.contains(.discovered(name: "Far", rssi: strength, isOffered: isOffered)))
        #expect(central.sdk.devices.count == (isOffered ? 1 : 0))
        withExtendedLifetime(ball) {}
    }

    @Test("prefers the advertised name to the known one, unless it is empty", arguments: ["Else", "", nil])
    func name(advertised: String?) throws {
        let (ball, central, peripheral) = try self.heardBall()
        let known = try #require(peripheral.name)
        let name = advertised == "Else" ? "Else" : known
        central.sdk.centralManager(
            try #require(central.sdk.centralManagerInstance),
            didDiscover: peripheral,
            advertisementData: advertised.map { [CBAdvertisementDataLocalNameKey: $0] } ?? [:],
            rssi: -40
        )
        #expect(central.steps.contains(.discovered(name: name, rssi: -40, isOffered: true)))
        #expect(central.sdk.devices.map(\.name) == [name])
        withExtendedLifetime(ball) {}
    }

    @Test("replaces a postponed search by a new one, and searches nothing without the adapter")
    func searches() throws {
        let central = testbed.central()
        testbed.run(.seconds(1))
        let manager = try #require(central.sdk.centralManagerInstance)
        central.steps = []
        central.sdk._scan(after: 5)
        central.sdk._scan(after: 1)
        testbed.run(.milliseconds(4_999))
        #expect(central.steps.isEmpty)
        central.sdk._scan()
        #expect(central.steps == [.scanning] && manager.isScanning)
        testbed.run(.seconds(5))
        #expect(central.steps == [.scanning])
        central.sdk._scan(after: 5)
        central.adapter.setPowered(false)
        testbed.run(.seconds(6))
        central.sdk._scan()
        #expect(central.steps.count { $0 == .scanning } == 1)
    }

    @Test("searches again when the adapter is back on, and keeps its balls")
    func onAgain() throws {
        let ball = testbed.ball("Crystal")
        let central = testbed.central()
        #expect(testbed.run { central.ready == ["Crystal"] })
        let manager = try #require(central.sdk.centralManagerInstance)
        central.steps = []
        central.sdk._scan(after: 5)
        central.sdk.centralManagerDidUpdateState(manager)
        #expect(central.steps == [.stateChanged(.poweredOn), .scanning])
        #expect(manager.isScanning && central.ready == ["Crystal"])
        testbed.run(.seconds(10))
        #expect(central.found.count == 1 && central.errors.isEmpty && central.steps.count == 2)
        let other = testbed.ball("Onyx")
        #expect(testbed.run { central.ready == ["Crystal", "Onyx"] })
        withExtendedLifetime((ball, other)) {}
    }

    @Test("searches at once for a lost ball, and after a second if the keys of its pairing are missing")
    func rescan() throws {
        let errors: [(error: CBError, words: String, delay: TimeAmount)] = [
            (CBError(.connectionTimeout), "coreBluetooth.deviceOffline", .zero),
            (CBError(.peerRemovedPairingInformation), "coreBluetooth.CB14", .seconds(1)),
        ]
        for (error, words, delay) in errors {
            let testbed = Testbed()
            let ball = testbed.ball("Crystal")
            let central = testbed.central()
            #expect(testbed.run { central.found.count == 1 })
            let device = try #require(central.device("Crystal"))
            let manager = try #require(central.sdk.centralManagerInstance)
            let scans = central.steps.count { $0 == .scanning }
            central.sdk.centralManager(manager, didDisconnectPeripheral: device._peripheral, error: error)
            #expect(central.errors == [words] && central.sdk.devices.isEmpty)
            if delay > .zero {
                testbed.run(delay - .nanoseconds(1))
                #expect(central.steps.count { $0 == .scanning } == scans)
                testbed.run(.nanoseconds(1))
            }
            #expect(central.steps.count { $0 == .scanning } == scans + 1)
            withExtendedLifetime(ball) {}
        }
    }

    @Test("searches again five seconds after it first heard a ball out of range")
    func rescanOfAFarBall() throws {
        let first = testbed.ball("Far", distance: 60)
        let central = testbed.central()
        var isHeard = false
        central.onStep = { if case .discovered(_, _, false) = $0 { isHeard = true } }
        #expect(testbed.run { isHeard })
        let scans = central.steps.count { $0 == .scanning }
        testbed.run(.seconds(2))
        isHeard = false
        let second = testbed.ball("Far, too", distance: 60)
        #expect(testbed.run { isHeard })
        #expect(central.steps.count { $0 == .scanning } == scans)
        testbed.run(.milliseconds(2_500))
        #expect(central.steps.count { $0 == .scanning } == scans)
        testbed.run(.milliseconds(500))
        #expect(central.steps.count { $0 == .scanning } == scans + 1)
        withExtendedLifetime((first, second)) {}
    }

    @Test("does not connect a ball again before its link has ended")
    func leaving() throws {
        _ = testbed.ball("Far", distance: 20)
        let central = testbed.central()
        let helper = ForeignCentral(on: central.adapter)
        #expect(testbed.run { helper.peripheral != nil })
        _ = testbed.ball("Crystal")
        #expect(testbed.run { central.found.count == 1 })
        let device = try #require(central.device("Crystal"))
        let manager = try #require(central.sdk.centralManagerInstance)
        func hear(_ peripheral: CBPeripheral, _ name: String) {
            central.sdk.centralManager(
                manager,
                didDiscover: peripheral,
                advertisementData: [CBAdvertisementDataLocalNameKey: name],
                rssi: NSNumber(value: -40)
            )
        }
        hear(device._peripheral, "Crystal")
        #expect(central.sdk.devices.count == 1)
        central.sdk._cancelConnection(device, because: .coreBluetooth(nil))
        hear(device._peripheral, "Crystal")
        #expect(central.sdk.devices.isEmpty)
        let other = try central.peripheral(foundBy: helper)
        hear(other, "Far")
        let far = try #require(central.sdk.devices.first as? ITCB_SDK_Device_Peripheral)
        #expect(far._peripheral === other)
        central.sdk._cancelConnection(far, because: .coreBluetooth(nil))
        #expect(testbed.run { central.found.count == 2 })
        #expect(central.ready == ["Crystal"])
    }

    @Test("reports the strength of a link that was measured")
    func signal() throws {
        let (ball, central) = testbed.meeting()
        let device = try #require(central.device("Crystal"))
        let count = central.steps.count
        device.peripheral(device._peripheral, didReadRSSI: 127, error: nil)
        device.peripheral(device._peripheral, didReadRSSI: -50, error: CBError(.unknown))
        #expect(central.steps.count == count)
        device.peripheral(device._peripheral, didReadRSSI: -50, error: nil)
        #expect(central.steps.last == .signalRead(uuid: device.uuid ?? "", rssi: -50))
        device._readSignal()
        #expect(testbed.run { central.steps.count == count + 2 })
        device._end()
        device._readSignal()
        testbed.run()
        #expect(central.steps.count == count + 2)
        withExtendedLifetime(ball) {}
    }

    @Test("disconnects a ball that lacks the service or a characteristic, and tries it again", arguments: [nil, 0, 1])
    func incomplete(kept: Int?) throws {
        let ball = ForeignBall("Half", on: testbed.adapter(), hasService: false)
        testbed.run { ball.manager.state == .poweredOn }
        let whole = try #require(ball.service.characteristics)
        if let kept {
            ball.service.characteristics = [whole[kept]]
            ball.manager.add(ball.service)
        }
        let central = testbed.central()
        #expect(testbed.run { !central.errors.isEmpty })
        #expect(central.errors == ["coreBluetooth.peripheralError.nil"])
        #expect(central.found.isEmpty && central.sdk.devices.isEmpty)
        ball.manager.removeAllServices()
        ball.service.characteristics = whole
        ball.manager.add(ball.service)
        #expect(testbed.run { central.ready == ["Half"] })
    }

    @Test("cancels and reports a connection that takes longer than 10 s")
    func connectionTimeout() {
        let ball = testbed.ball("Crystal")
        let central = testbed.central()
        central.onStep = { step in
            guard case .connecting = step else { return }
            ball.adapter.setPowered(false)
        }
        #expect(testbed.run { central.sdk.devices.count == 1 })
        testbed.run(.seconds(Int64(ITCB_SDK_Central._connectionTimeoutLengthInSeconds) + 1))
        #expect(central.sdk.devices.isEmpty)
        #expect(central.errors == ["coreBluetooth.deviceOffline"])
        central.onStep = nil
        ball.adapter.setPowered(true)
        #expect(testbed.run { central.found.count == 1 })
    }

    @Test("reports a failed connection, and tries again")
    func failToConnect() throws {
        let ball = testbed.ball("Crystal")
        let central = testbed.central()
        testbed.run { central.sdk.devices.count == 1 }
        let device = try #require(central.sdk.devices.first as? ITCB_SDK_Device_Peripheral)
        let error = CBError(.connectionFailed)
        central.sdk.centralManager(
            central.sdk.centralManagerInstance,
            didFailToConnect: device._peripheral,
            error: error
        )
        #expect(central.errors == ["coreBluetooth.CB10"])
        #expect(central.steps.contains(.connectionFailed(name: "Crystal")))
        #expect(central.sdk.devices.isEmpty)
        #expect(testbed.run { central.ready == ["Crystal"] })
        #expect(ball.errors.isEmpty)
    }
}
