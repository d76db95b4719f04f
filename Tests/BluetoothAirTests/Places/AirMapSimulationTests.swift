import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothAir

@Suite("Map of an air with random devices")
struct AirMapSimulationTests {
    @Test("finds exactly the receivers that a signal reaches", arguments: simulationSeeds(4))
    func receivers(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        // Around the corner of four cells, some at their edges, and some far away.
        func coordinate() -> Double {
            let scale = choices.once(in: 4) ? 10.0 : 1
            return choices.once(in: 4)
                ? AirMap.cellSize * choices.pick([-1.001, -1, -0.999, 0, 0.999, 1, 1.001])
                : Double(choices.below(2_000) - 1_000) * scale
        }
        func position() -> AirPosition { AirPosition(x: coordinate(), y: coordinate()) }
        func location() -> AirLocation {
            choices.once(in: 5) ? .distance(.metres(Double(choices.below(500)))) : .position(position())
        }
        let air = Air(eventLoop: EmbeddedEventLoop())
        var senders: [(controller: VirtualController, receivers: Receivers, txPower: TransmitPower)] = []
        func add() {
            let controller = air.makeController()
            controller.location = location()
            senders.append((controller, Receivers(), TransmitPower(dBm: choices.pick([0, 0, 0, -20, 10]))))
        }
        for _ in 0..<20 { add() }
        for _ in 0..<100 {
            switch choices.below(8) {
            case 0: add()
            case 1: senders.remove(at: choices.below(senders.count)).controller.close()
            case 2:
                air.walls = (0..<choices.below(6)).map { _ in
                    AirWall(from: position(), to: position(), attenuation: .decibels(Double(choices.below(60))))
                }
            case 3:
                let (one, other) = (choices.pick(senders).controller, choices.pick(senders).controller)
                if one !== other { one.setAttenuation(choices.once(in: 2) ? .infinite : 0, to: other) }
            default: choices.pick(senders).controller.location = location()
            }
            for index in senders.indices {
                let (sender, txPower) = (air.controllers[index], senders[index].txPower)
                senders[index].receivers.update(for: sender, txPower: txPower, on: air.map, air.obstacles)
                let found = senders[index].receivers.entries.filter { $0.rssi != nil }
                let expected = air.controllers.filter {
                    $0 !== sender && air.strength(from: sender, to: $0, txPower: txPower) != nil
                }
                #expect(found.map(\.order) == expected.map(\.index))
                #expect(found.map(\.rssi) == expected.map { air.strength(from: sender, to: $0, txPower: txPower) })
                #expect(found.allSatisfy { air.controller($0.slot)?.index == $0.order })
            }
        }
    }
}
