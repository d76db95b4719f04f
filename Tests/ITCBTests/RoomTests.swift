// Whole rooms: many balls, many centrals, a lossy air, and runs that are alike to the last octet.

import BluetoothAir
import CoreBluetooth
import Foundation
import NIOCore
import Rooms
import Testing

@testable @_spi(Steps) import ITCB

@Suite("Rooms")
struct RoomTests {
    @Test("One question, one answer")
    func oneQuestion() throws {
        let room = Room()
        let ball = room.ball("Crystal")
        let central = room.central()
        #expect(room.run { central.found.count == 1 })
        let device = try #require(central.device("Crystal"))
        #expect(device.uuid != nil)
        device.sendQuestion("Will it rain?")
        #expect(room.run { central.answered.count == 1 })
        #expect(central.asked == ["Will it rain?"])
        #expect(ball.asked == ["Will it rain?"])
        #expect(ball.answered == central.answered)
        #expect(central.answers.allSatisfy(isAnswer))
        #expect(central.errors.isEmpty)
        #expect(ball.errors.isEmpty)
        #expect(ball.sdk.central?.uuid != nil)
        #expect(central.sdk.isCoreBluetoothPoweredOn)
        #expect(ball.sdk.isCoreBluetoothPoweredOn)
    }

    @Test("A central asks 20 balls, three times each", arguments: [AirSettings.instant, .realistic])
    func twentyBalls(model: AirSettings) throws {
        let room = Room(model: model, seed: 20)
        let balls = (1...20).map { room.ball("Ball \($0)") }
        let central = room.central()
        #expect(room.run(.seconds(120)) { central.found.count == 20 })
        #expect(Set(central.ready) == Set(balls.map(\.sdk.localName)))
        for round in 1...3 {
            for ball in balls {
                central.device(ball.sdk.localName)?.sendQuestion("Round \(round), \(ball.sdk.localName)?")
            }
            #expect(room.run { central.answered.count == 20 * round })
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
    func twentyCentrals(model: AirSettings) throws {
        let room = Room(model: model, seed: 21)
        let ball = room.ball("Crystal")
        let centrals = (1...20).map { _ in room.central() }
        #expect(room.run(.seconds(120)) { centrals.allSatisfy { $0.found.count == 1 } })
        for round in 1...3 {
            for (number, central) in centrals.enumerated() {
                central.device("Crystal")?.sendQuestion("Round \(round), central \(number)?")
            }
            #expect(room.run { centrals.allSatisfy { $0.answered.count == round } })
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
        let room = Room(model: AirSettings(hasAirTime: true, loss: 0.3), seed: seed)
        let balls = (1...5).map { room.ball("Ball \($0)") }
        let centrals = (1...3).map { _ in room.central() }
        #expect(room.run(.seconds(120)) { centrals.allSatisfy { Set($0.ready).count == 5 } })
        for round in 1...3 {
            for central in centrals {
                for ball in balls { central.device(ball.sdk.localName)?.sendQuestion("Round \(round)?") }
            }
            #expect(room.run { centrals.allSatisfy { $0.answered.count == 5 * round } })
        }
        #expect(balls.reduce(0) { $0 + $1.answered.count } == 45)
    }

    @Test("A ball that is too far away is not offered; one that comes nearer is")
    func distance() {
        let room = Room()
        _ = room.ball("Faraway", distance: 30)
        let near = room.ball("Near")
        let central = room.central()
        room.run { central.found.count == 1 }
        room.pass(.seconds(20))
        #expect(central.found.map(\.name) == ["Near"])
        #expect(central.sdk.devices.count == 1)
        #expect(near.errors.isEmpty)
        let isRefused = central.steps.contains {
            guard case .discovered(name: "Faraway", let rssi, isOffered: false) = $0 else { return false }
            return rssi < -60
        }
        #expect(isRefused)
    }

    @Test("A ball whose strength the controller does not report is offered: 127 says nothing of where it is")
    func unknownStrength() throws {
        let room = Room()
        let ball = room.ball("Far", distance: 20)
        let adapter = room.adapter()
        let central = Asker(in: room, on: adapter)
        let helper = StrangeCentral(on: adapter)
        #expect(room.run { helper.peripheral != nil })
        room.pass(.seconds(1))
        #expect(central.found.isEmpty)
        let manager = try #require(central.sdk.centralManagerInstance)
        let identifier = try #require(helper.peripheral?.identifier)
        let peripheral = try #require(manager.retrievePeripherals(withIdentifiers: [identifier]).first)
        central.sdk.centralManager(
            manager,
            didDiscover: peripheral,
            advertisementData: [CBAdvertisementDataLocalNameKey: "Far"],
            rssi: NSNumber(value: 127)
        )
        #expect(central.steps.contains(.discovered(name: "Far", rssi: 127, isOffered: true)))
        #expect(room.run { central.found.count == 1 })
        central.found[0].sendQuestion("Are you there?")
        #expect(room.run { central.answered.count == 1 })
        #expect(ball.asked == ["Are you there?"])
    }

    @Test("A ball that changes its name shows the new one")
    func rename() {
        let room = Room()
        let ball = room.ball("Crystal")
        room.pass(.seconds(1))
        ball.sdk.localName = "Onyx"
        room.pass(.seconds(1))
        let central = room.central()
        #expect(room.run { central.found.count == 1 })
        #expect(central.ready == ["Onyx"])
    }

    @Test("An SDK that is dropped lets go of everything, and its balls are free for others")
    func dropped() {
        let room = Room()
        let ball = room.ball("Crystal")
        weak var dropped: ITCB_SDK_Central?
        do {
            let central = room.central()
            #expect(room.run { central.found.count == 1 })
            central.found[0].sendQuestion("Bye?")
            #expect(room.run { !central.sdk.devices.isEmpty && !ball.asked.isEmpty })
            central.sdk.removeObserver(central)
            dropped = central.sdk
        }
        room.pass(.seconds(1))
        #expect(dropped == nil)
        #expect(ball.sdk._centrals.allSatisfy { !$0._isSubscribed })
        let other = room.central()
        other.onFound = { $0.sendQuestion("And me?") }
        #expect(room.run { other.answered.count == 1 })
    }

    private func isAnswer(_ key: String) -> Bool {
        (0..<20).map { "SLUG-ANSWER-" + ($0 < 10 ? "0" : "") + "\($0)" }.contains(key)
    }
}
