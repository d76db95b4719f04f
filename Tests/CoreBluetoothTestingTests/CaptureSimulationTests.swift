// Captures whose octets and packets are changed, cut, doubled and reordered.

import BluetoothHCI
import BluetoothTransport
import Fixtures
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("Simulations of damaged captures")
struct CaptureSimulationTests {
    /// Changes, removes or adds an octet, or cuts the data.
    private static func changeOctet(_ data: inout Data, _ choices: inout SeededChoices) {
        guard let place = data.indices.randomElement(using: &choices) else { return }
        switch choices.below(16) {
        case 0: data.remove(at: place)
        case 1: data.insert(choices.octets(1)[0], at: place)
        case 2: data = Data(data.prefix(upTo: place))
        default: data[place] = choices.octets(1)[0]
        }
    }

    private static func changePackets(_ data: Data, _ choices: inout SeededChoices) throws -> Data {
        var bytes = ByteBuffer()
        BTSnoopWriter.writeFileHeader(into: &bytes)
        var records = try CaptureReader.content(of: ByteBuffer(bytes: data)).records
        for _ in 0...choices.below(80) {
            let index = choices.below(records.count)
            switch choices.below(12) {
            case 0: records.remove(at: index)
            case 1: records.insert(records[index], at: choices.below(records.count))
            case 2: records.swapAt(index, max(0, index - 1))
            case 3: records[index].time.microsecondsSince1970 = Int64.random(in: .min ... .max, using: &choices)
            case 4: records[index].direction = records[index].direction == .toHost ? .toController : .toHost
            default:
                // Behind the handle and the lengths, which would make a packet that nobody reads.
                var octets = Array(records[index].packet.bytes.readableBytesView)
                let first = records[index].packet.kind == .aclData ? 9 : 3
                guard octets.count > first else { continue }
                octets[first + choices.below(octets.count - first)] = choices.octets(1)[0]
                records[index].packet = HCIPacket(h4: ByteBuffer(bytes: octets))
            }
        }
        for record in records { BTSnoopWriter.write(record.packet, record.direction, at: record.time, into: &bytes) }
        return Data(bytes.readableBytesView)
    }

    @Test(
        "no capture traps: it is refused in one line or is a script that a central can use",
        arguments: simulationSeeds(3)
    )
    func damaged(seed: UInt64) throws {
        var choices = SeededChoices(seed: seed)
        let (_, peripheral, central) = try CapturedPeripheralTests.captures()
        let files = [central, peripheral]
        var scriptCount = 0
        for round in 0..<40 {
            var data = choices.pick(files)
            if round % 2 == 0 {
                data = try Self.changePackets(choices.pick([central, peripheral]), &choices)
            } else {
                for _ in 0...choices.below(60) { Self.changeOctet(&data, &choices) }
            }
            let script: ScriptedPeripheral
            do {
                script = try ScriptedPeripheral(capture: Data(data))
            } catch {
                #expect(!"\(error)".contains("\n"))
                continue
            }
            scriptCount += 1
            let world = World(seed: seed)
            world.addPeripheral(script, as: "sensor")
            let phone = world.addDevice("phone").run { Explorer() }
            world.advance(by: .seconds(3))
            if phone.isConnected { phone.writeNext() }
            // A mistake in the script is thrown, and nothing traps.
            try? world.run(until: false, within: .seconds(1))
        }
        #expect(scriptCount > 0)
    }
}
