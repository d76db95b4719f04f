// The mesh messenger when things go wrong: packets, links and power are lost, at every step and for an hour. Whatever
// happens, nothing is lost for ever. MESH_MINUTES=55 makes the last one an hour.

import BluetoothTypes
import ClientSamples
import CoreBluetoothProcessTime
import CoreBluetoothTesting
import Foundation
import Testing

@Suite("Mesh messenger with faults")
struct MeshFaultTests {
    /// Loses all links of one of two phones as soon as so many packets of ATT have passed; says whether that came.
    @MainActor
    private static func loseLink(after packets: Int) throws -> Bool {
        let network = MeshNetwork()
        network.addLine(2)
        var count = 0
        var wasLost = false
        let device = network.phones[0].device
        network.world.when(
            { entry in
                if entry.device == device.name, entry.layer == .att { count += 1 }
                return count == packets
            },
            do: {
                wasLost = true
                device.dropLinks()
            }
        )
        try network.run(until: { network.isAcquainted }, within: .seconds(60))
        network.publish("hello", from: network.phones[0])
        try network.confide("only for you", from: network.phones[1], to: network.phones[0])
        try network.run(until: { network.isComplete }, within: .seconds(120))
        return wasLost
    }

    @Test("delivers everything once if links are lost at any step", arguments: 0..<3)
    func everyStep(_ first: Int) async {
        await #expect(processExitsWith: .success) { [first] in
            try await MainActor.run {
                // Each third one, so that no process takes long.
                var step = first
                while try Self.loseLink(after: step + 1) { step += 3 }
                #expect(step > 20)
            }
        }
    }

    /// How long the faults last.
    static let minutes = ProcessInfo.processInfo.environment["MESH_MINUTES"].flatMap { Int($0) } ?? 3

    /// Eight phones in two rows; every minute something breaks, and is whole again before the end.
    @MainActor
    static func breakAndMend(seed: UInt64) throws -> MeshNetwork {
        let network = MeshNetwork(seed: seed)
        var generator = SeededGenerator(seed: seed)
        for number in 0..<8 {
            network.add("phone \(number)", x: 250 * Double(number % 4), y: 200 * Double(number / 4))
        }
        try network.run(until: { network.isAcquainted }, within: .seconds(120))
        for minute in 0..<Self.minutes {
            let sender = network.phones[Int.random(in: 0..<8, using: &generator)]
            let recipient = network.phones[Int.random(in: 0..<8, using: &generator)]
            network.publish("minute \(minute), to everybody", from: sender)
            if sender.name != recipient.name {
                try network.confide("minute \(minute), private", from: sender, to: recipient)
            }
            let victim = network.phones[Int.random(in: 0..<8, using: &generator)].device
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: network.world.loss = Double.random(in: 0...0.3, using: &generator)
            case 1: victim.isPowered.toggle()
            case 2: victim.dropLinks()
            case 3: victim.resetController()
            default: victim.position = AirPosition(x: Double.random(in: 0...1500, using: &generator), y: 0)
            }
            network.world.advance(by: .seconds(60))
        }
        network.world.loss = 0
        for (number, phone) in network.phones.enumerated() {
            phone.device.isPowered = true
            phone.device.position = AirPosition(x: 250 * Double(number % 4), y: 200 * Double(number / 4))
        }
        try network.run(until: { network.isComplete }, within: .seconds(300))
        return network
    }

    @Test("delivers everything after minutes of faults")
    func minutesWithFaults() async {
        await #expect(processExitsWith: .success) {
            try await MainActor.run {
                let network = try Self.breakAndMend(seed: 1)
                #expect(network.world.now > .seconds(60 * Self.minutes))
                #expect(network.published.count == Self.minutes && !network.confided.isEmpty)
            }
        }
    }

    /// Five phones for two minutes, with loss and broken links; prints the whole trace.
    @MainActor
    private static func printRun(seed: UInt64) throws {
        let network = MeshNetwork(seed: seed, settings: AirSettings(hasAirTime: true, loss: 0.1))
        network.addLine(5)
        try network.run(until: { network.isAcquainted }, within: .seconds(120))
        network.publish("hello", from: network.phones[2])
        try network.confide("over four hops", from: network.phones[4], to: network.phones[0])
        network.world.advance(by: .seconds(1))
        network.phones[1].device.dropLinks()
        try network.run(until: { network.isComplete }, within: .seconds(120))
        network.world.advance(by: .seconds(60))
        print(network.world.trace.includingHCI)
        print("digest", network.world.digest)
    }

    @Test("repeats its octets in two processes with the same seed")
    func sameSeed() async {
        let first = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            try await MainActor.run { try Self.printRun(seed: 7) }
        }
        let second = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            try await MainActor.run { try Self.printRun(seed: 7) }
        }
        let other = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            try await MainActor.run { try Self.printRun(seed: 8) }
        }
        let octets = first?.standardOutputContent ?? []
        #expect(octets.count > 100_000)
        #expect(octets == second?.standardOutputContent)
        #expect(octets != other?.standardOutputContent)
    }
}
