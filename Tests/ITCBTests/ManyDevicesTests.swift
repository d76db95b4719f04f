// Many devices: many balls, many centrals, a lossy air, and runs that are alike to the last octet.

import BluetoothAir
import CoreBluetooth
import Foundation
import NIOCore
import Testbed
import Testing

@testable @_spi(Steps) import ITCB

@Suite("Many devices")
struct ManyDevicesTests {
    @Test("One question, one answer")
    func oneQuestion() throws {
        let testbed = Testbed()
        let ball = testbed.ball("Crystal")
        let central = testbed.central()
        #expect(testbed.run { central.found.count == 1 })
        let device = try #require(central.device("Crystal"))
        #expect(device.uuid != nil)
        device.sendQuestion("Will it rain?")
        #expect(testbed.run { central.answered.count == 1 })
        #expect(central.asked == ["Will it rain?"])
        #expect(ball.asked == ["Will it rain?"])
        #expect(ball.answered == central.answered)
        #expect(central.answers.map(isAnswer) == [true])
        #expect(central.errors.isEmpty)
        #expect(ball.errors.isEmpty)
        #expect(ball.sdk.central?.uuid != nil)
        #expect(central.sdk.isCoreBluetoothPoweredOn)
        #expect(ball.sdk.isCoreBluetoothPoweredOn)
    }

    @Test("A central asks 20 balls, three times each", arguments: [AirSettings.instant, .realistic])
    func twentyBalls(settings: AirSettings) throws {
        let testbed = Testbed(settings: settings, seed: 20)
        let balls = (1...20).map { testbed.ball("Ball \($0)") }
        let central = testbed.central()
        #expect(testbed.run(until: { central.found.count == 20 }, within: .seconds(120)))
        #expect(Set(central.ready) == Set(balls.map(\.sdk.localName)))
        for round in 1...3 {
            for ball in balls {
                central.device(ball.sdk.localName)?.sendQuestion("Round \(round), \(ball.sdk.localName)?")
            }
            #expect(testbed.run { central.answered.count == 20 * round })
        }
        #expect(central.errors.isEmpty)
        for ball in balls {
            #expect(ball.answered.count == 3)
            #expect(ball.answered.allSatisfy { central.answered.contains($0) })
            #expect(ball.asked == (1...3).map { "Round \($0), \(ball.sdk.localName)?" })
        }
    }

    @Test(
        "Twenty centrals ask one ball at the same time, three times each",
        arguments: [AirSettings.instant, .realistic]
    )
    func twentyCentrals(settings: AirSettings) throws {
        let testbed = Testbed(settings: settings, seed: 21)
        let ball = testbed.ball("Crystal")
        let centrals = (1...20).map { _ in testbed.central() }
        #expect(testbed.run(until: { centrals.allSatisfy { $0.found.count == 1 } }, within: .seconds(120)))
        for round in 1...3 {
            for (number, central) in centrals.enumerated() {
                central.device("Crystal")?.sendQuestion("Round \(round), central \(number)?")
            }
            #expect(testbed.run { centrals.allSatisfy { $0.answered.count == round } })
        }
        #expect(ball.answered.count == 60)
        #expect(Set(ball.answered) == Set(centrals.flatMap(\.answered)))
        #expect(Set(ball.sdk._centrals.map(\.uuid)).count == 20)
        for (number, central) in centrals.enumerated() {
            #expect(central.asked == (1...3).map { "Round \($0), central \(number)?" })
            #expect(central.errors.isEmpty)
        }
    }

    @Test("Every question is answered on an air that loses 30 % of its packets", arguments: 1...5)
    func lossyAir(seed: UInt64) throws {
        let testbed = Testbed(settings: AirSettings(hasAirTime: true, loss: 0.3), seed: seed)
        let balls = (1...5).map { testbed.ball("Ball \($0)") }
        let centrals = (1...3).map { _ in testbed.central() }
        #expect(testbed.run(until: { centrals.allSatisfy { Set($0.ready).count == 5 } }, within: .seconds(120)))
        for round in 1...3 {
            for central in centrals {
                for ball in balls { central.device(ball.sdk.localName)?.sendQuestion("Round \(round)?") }
            }
            #expect(testbed.run { centrals.allSatisfy { $0.answered.count == 5 * round } })
        }
        #expect(balls.reduce(0) { $0 + $1.answered.count } == 45)
    }

    @Test("A ball that is too far away is not offered; one that comes nearer is")
    func distance() {
        let testbed = Testbed()
        _ = testbed.ball("Faraway", distance: 30)
        let near = testbed.ball("Near")
        let central = testbed.central()
        testbed.run { central.found.count == 1 }
        testbed.run(.seconds(20))
        #expect(central.found.map(\.name) == ["Near"])
        #expect(central.sdk.devices.count == 1)
        #expect(near.errors.isEmpty)
        let isRefused = central.steps.contains {
            guard case .discovered(name: "Faraway", let rssi, isOffered: false) = $0 else { return false }
            return rssi < -60
        }
        #expect(isRefused)
    }

    @Test(
        "A ball is offered from -60 to -20 dBm, and neither below nor above",
        arguments: [(-127, false), (-61, false), (-60, true), (-20, true), (-19, false), (20, false)]
    )
    func window(strength: Int, isOffered: Bool) throws {
        let testbed = Testbed()
        _ = testbed.ball("Far", distance: 20)
        let adapter = testbed.adapter()
        let central = Asker(in: testbed, on: adapter)
        let helper = ForeignCentral(on: adapter)
        #expect(testbed.run { helper.peripheral != nil })
        testbed.run(.seconds(1))
        let manager = try #require(central.sdk.centralManagerInstance)
        let peripheral = try central.peripheral(foundBy: helper)
        central.sdk.centralManager(
            manager,
            didDiscover: peripheral,
            advertisementData: [CBAdvertisementDataLocalNameKey: "Far"],
            rssi: NSNumber(value: strength)
        )
        #expect(central.steps.contains(.discovered(name: "Far", rssi: strength, isOffered: isOffered)))
        #expect(central.sdk.devices.count == (isOffered ? 1 : 0))
    }

    @Test("A ball whose strength the controller does not report is offered: 127 says nothing of where it is")
    func unknownStrength() throws {
        let testbed = Testbed()
        let ball = testbed.ball("Far", distance: 20)
        let adapter = testbed.adapter()
        let central = Asker(in: testbed, on: adapter)
        let helper = ForeignCentral(on: adapter)
        #expect(testbed.run { helper.peripheral != nil })
        testbed.run(.seconds(1))
        #expect(central.found.isEmpty)
        let manager = try #require(central.sdk.centralManagerInstance)
        let peripheral = try central.peripheral(foundBy: helper)
        central.sdk.centralManager(
            manager,
            didDiscover: peripheral,
            advertisementData: [CBAdvertisementDataLocalNameKey: "Far"],
            rssi: NSNumber(value: 127)
        )
        #expect(central.steps.contains(.discovered(name: "Far", rssi: 127, isOffered: true)))
        #expect(testbed.run { central.found.count == 1 })
        central.found[0].sendQuestion("Are you there?")
        #expect(testbed.run { central.answered.count == 1 })
        #expect(ball.asked == ["Are you there?"])
    }

    @Test("A ball that advertises an empty name is known by its GAP Device Name", arguments: ["", nil])
    func emptyName(advertised: String?) throws {
        let testbed = Testbed()
        _ = testbed.ball("Far", distance: 20)
        let adapter = testbed.adapter()
        let central = Asker(in: testbed, on: adapter)
        let helper = ForeignCentral(on: adapter)
        #expect(testbed.run { helper.peripheral?.name != nil })
        let manager = try #require(central.sdk.centralManagerInstance)
        let known = try #require(helper.peripheral)
        let peripheral = try #require(manager.retrievePeripherals(withIdentifiers: [known.identifier]).first)
        let name = try #require(known.name)
        central.sdk.centralManager(
            manager,
            didDiscover: peripheral,
            advertisementData: advertised.map { [CBAdvertisementDataLocalNameKey: $0] } ?? [:],
            rssi: -40
        )
        #expect(central.steps.contains(.discovered(name: name, rssi: -40, isOffered: true)))
        #expect(central.sdk.devices.map(\.name) == [name])
    }

    @Test("A ball that is being disconnected is not connected to again before it has ended")
    func leaving() throws {
        let testbed = Testbed()
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
        // That concerns no other ball.
        let other = try central.peripheral(foundBy: helper)
        hear(other, "Far")
        let far = try #require(central.sdk.devices.first as? ITCB_SDK_Device_Peripheral)
        #expect(far._peripheral === other)
        central.sdk._cancelConnection(far, because: .coreBluetooth(nil))
        #expect(testbed.run { central.found.count == 2 })
        #expect(central.ready == ["Crystal"])
    }

    @Test("A ball that changes its name shows the new one")
    func rename() {
        let testbed = Testbed()
        let ball = testbed.ball("Crystal")
        testbed.run(.seconds(1))
        ball.sdk.localName = "Onyx"
        testbed.run(.seconds(1))
        let central = testbed.central()
        #expect(testbed.run { central.found.count == 1 })
        #expect(central.ready == ["Onyx"])
    }

    @Test("An SDK that is released releases everything, and its balls are free for others")
    func dropped() {
        let testbed = Testbed()
        let ball = testbed.ball("Crystal")
        weak var dropped: ITCB_SDK_Central?
        do {
            let central = testbed.central()
            #expect(testbed.run { central.found.count == 1 })
            central.found[0].sendQuestion("Bye?")
            #expect(testbed.run { !central.sdk.devices.isEmpty && !ball.asked.isEmpty })
            central.sdk.removeObserver(central)
            dropped = central.sdk
        }
        testbed.run(.seconds(1))
        #expect(dropped == nil)
        #expect(ball.sdk._centrals.map(\._isSubscribed) == [false])
        let other = testbed.central()
        other.onFound = { $0.sendQuestion("And me?") }
        #expect(testbed.run { other.answered.count == 1 })
    }

    private func isAnswer(_ key: String) -> Bool {
        (0..<20).map { "SLUG-ANSWER-" + ($0 < 10 ? "0" : "") + "\($0)" }.contains(key)
    }
}
