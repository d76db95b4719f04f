// The mesh messenger between phones: in a line, a ring, two groups joined by one who walks, in a crowd. Each test is a
// process of its own, as its clocks are the world's. MESH_PHONES=50 makes the crowd larger.

import ClientSamples
import CoreBluetoothProcessTime
import CoreBluetoothTesting
import Foundation
import Testing

@Suite("Mesh messenger")
struct MeshMessengerTests {
    @Test("delivers a message of many fragments, and refuses a longer one")
    func fragments() async {
        await #expect(processExitsWith: .success) {
            try await MainActor.run {
                let network = MeshNetwork()
                network.addLine(3)
                try network.run(until: { network.isAcquainted }, within: .seconds(30))
                let text = (0..<1000).map { "word \($0)" }.joined(separator: " ").prefix(7900)
                network.publish(String(text), from: network.phones[0])
                try network.confide(String(text.reversed()), from: network.phones[2], to: network.phones[0])
                try network.run(until: { network.isComplete }, within: .seconds(20))
                let counts = network.phones[1].app.diagnostics.counts
                #expect(counts.framesSent > counts.packetsSent + 20)
                network.phones[0].model.send(String(repeating: "x", count: 8001))
                try network.run(until: { network.phones[0].model.problem == .messageTooLong })
            }
        }
    }

    @Test("delivers a private message over four hops, and its acknowledgement")
    func line() async {
        await #expect(processExitsWith: .success) {
            try await MainActor.run {
                let network = MeshNetwork()
                network.addLine(5)
                try network.run(until: { network.isAcquainted }, within: .seconds(60))
                try network.confide("over four hops", from: network.phones[0], to: network.phones[4])
                try network.run(until: { network.isComplete }, within: .seconds(10))
                // Those in between have passed it on, and have not read it.
                #expect(network.phones[1...3].allSatisfy { $0.model.received.isEmpty })
                #expect(network.phones[1...3].allSatisfy { $0.app.diagnostics.counts.relayed > 0 })
            }
        }
    }

    @Test("delivers the other way round a ring when a phone is gone")
    func ring() async {
        await #expect(processExitsWith: .success) {
            try await MainActor.run {
                let network = MeshNetwork()
                network.addRing(8)
                try network.run(until: { network.isAcquainted }, within: .seconds(60))
                for (number, phone) in network.phones.enumerated() { network.publish("from \(number)", from: phone) }
                try network.run(until: { network.isComplete }, within: .seconds(30))
                network.phones[1].device.isPowered = false
                try network.confide("the long way", from: network.phones[0], to: network.phones[2])
                try network.run(until: { network.isComplete }, within: .seconds(60))
                #expect(network.phones[1].model.bluetoothState == .poweredOff)
                network.phones[1].device.isPowered = true
                try network.confide("welcome back", from: network.phones[5], to: network.phones[1])
                try network.run(until: { network.isComplete }, within: .seconds(120))
            }
        }
    }

    @Test("lets a walker carry messages between two groups")
    func walker() async {
        await #expect(processExitsWith: .success) {
            try await MainActor.run {
                let network = MeshNetwork()
                network.addLine(2, from: 0, names: "west")
                network.addLine(2, from: 1100, names: "east")
                let walker = network.add("walker", x: 100, y: 100)
                let (west, east) = (network.phones[0], network.phones[3])
                network.publish("from the west", from: west)
                network.publish("from the east", from: east)
                @MainActor func walk(to x: Double) {
                    walker.device.move(to: AirPosition(x: x, y: 100), over: .seconds(500))
                    network.world.advance(by: .seconds(500))
                }
                network.world.advance(by: .seconds(60))
                #expect(east.model.people.map(\.nickname) == ["east 0"])
                walk(to: 1100)
                try network.run(until: { network.phones[2...3].allSatisfy { $0.model.people.count == 4 } })
                // Nobody is between the groups when this one is sent.
                try network.confide("an answer that is carried", from: east, to: west)
                network.world.advance(by: .seconds(60))
                #expect(!west.model.received.contains("an answer that is carried"))
                walk(to: 100)
                try network.run(until: { network.missing.isEmpty }, within: .seconds(60))
                // The acknowledgement has to be carried, too.
                #expect(!east.model.isAllDelivered)
                walk(to: 1100)
                try network.run(until: { network.isComplete }, within: .seconds(60))
            }
        }
    }

    /// How many there are in the crowd; the benchmark has fifty.
    static let crowdSize = ProcessInfo.processInfo.environment["MESH_PHONES"].flatMap { Int($0) } ?? 20

    @Test("delivers between all phones of a crowd")
    func crowd() async {
        await #expect(processExitsWith: .success) {
            try await MainActor.run {
                let network = MeshNetwork()
                let count = Self.crowdSize
                for number in 0..<count {
                    network.add("phone \(number)", x: Double(number % 10), y: Double(number / 10))
                }
                try network.run(until: { network.isAcquainted }, within: .seconds(120))
                network.publish("hello, everybody", from: network.phones[0])
                network.publish("hello, crowd", from: network.phones[count - 1])
                try network.confide("and hello, you", from: network.phones[7], to: network.phones[count / 2])
                try network.run(until: { network.isComplete }, within: .seconds(60))
            }
        }
    }
}
