// The queue of commands and the flow of ACL data under random calls.

import BluetoothHCI
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("HCI flow control: simulation")
struct HCISimulationTests {
    @Test(
        "sends each command once in order, one at a time with a credit, and ends it once",
        arguments: simulationSeeds(4)
    )
    func commandQueue(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        var queue = CommandQueue()
        var time = NIODeadline.uptimeNanoseconds(0)
        var (waiting, sent): ([UInt16], [UInt16]) = ([], [])
        var (number, credits): (UInt16, Int) = (0, 1)
        for _ in 0..<400 {
            time = time + .milliseconds(choices.pick([0, 0, 0, 1, 500, 1_999, 2_000]))
            switch choices.below(10) {
            case 0, 1, 2:
                number += 1
                waiting.append(number)
                queue.append(CommandQueueTests.entry(number))
            case 3:
                number += 1
                waiting.insert(number, at: 0)
                queue.prepend(CommandQueueTests.entry(number))
            case 4, 5, 6:
                guard let packet = queue.next(now: time, timeout: .seconds(2)) else { continue }
                #expect(credits > 0 && sent.isEmpty && packet.bytes.getInteger(at: 0) == waiting.first)
                sent.append(waiting.removeFirst())
            case 7, 8:
                let opcode = choices.once(in: 5) || sent.isEmpty ? 0 : choices.pick(sent)
                credits = choices.below(3)
                let answered = queue.answered(HCIOpcode(rawValue: opcode), credits: UInt8(credits))
                #expect((answered?.opcode.rawValue ?? 0) == opcode)
                sent.removeAll { $0 == opcode }
            default:
                let deadline = queue.nextDeadline
                if let expired = queue.expired(at: time)?.opcode.rawValue {
                    #expect([expired] == sent)
                    sent = []
                }
                // One more credit for a controller that has nothing outstanding, or allows nothing.
                if let deadline, deadline <= time, sent.isEmpty { credits = max(credits, 1) }
            }
            #expect(queue.waitingCount == waiting.count)
            #expect(sent.isEmpty || queue.nextDeadline != nil)
        }
        #expect(queue.abandon().map(\.opcode.rawValue) == sent + waiting)
        #expect(queue.waitingCount == 0 && queue.nextDeadline == nil)
    }

    @Test("reports each received packet once, before 32 of a link or 64 of all wait", arguments: simulationSeeds(4))
    func receiver(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        var receiver = ACLReceiver()
        receiver.enable()
        var links = (1...4).map { HostLink.alone(UInt16($0)) }
        var counts: [UInt16: Int] = [:]
        for _ in 0..<600 {
            let link = choices.pick(links)
            switch choices.below(40) {
            case 0: receiver.pause(link)
            case 1, 2: receiver.resume(link)
            case 3 where choices.once(in: 4):
                receiver.closed(link)
                counts[link.handle.rawValue] = nil
                links.removeAll { $0 === link }
                links.append(HostLink.alone(link.handle.rawValue))
            default:
                receiver.received(on: link)
                counts[link.handle.rawValue, default: 0] += 1
            }
            if receiver.isReportDue || choices.once(in: 40) {
                for element in receiver.takeReport(of: links) {
                    #expect(counts.removeValue(forKey: element.handle.rawValue) == Int(element.count))
                }
            }
            let reportable = links.filter { !$0.isReceivingPaused }.compactMap { counts[$0.handle.rawValue] }
            #expect(reportable.reduce(0, +) < 64 && reportable.allSatisfy { $0 < 32 })
        }
    }

    @Test("sends nothing without a credit, loses no credit, and starves no link", arguments: simulationSeeds(4))
    func transmitter(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        var transmitter = ACLTransmitter()
        transmitter.configure(dataLength: 27, packetCount: choices.below(6))
        let capacity = transmitter.credits
        var links = (1...4).map { HostLink.alone(UInt16($0)) }
        for _ in 0..<400 {
            let link = choices.pick(links)
            switch choices.below(12) {
            case 0...4:
                link.enqueueFrame()
                transmitter.enqueue(link)
            case 5...7:
                guard let turn = transmitter.nextTurn() else { continue }
                repeat { _ = turn.nextPacket() } while transmitter.takeNextTurn(of: turn)
                transmitter.enqueue(turn)
            case 8, 9, 10: transmitter.completed(choices.below(4), of: link)
            default:
                guard choices.once(in: 4) else { continue }
                transmitter.closed(link)
                links.removeAll { $0 === link }
                links.append(HostLink.alone(link.handle.rawValue))
            }
            #expect(transmitter.credits + links.map(\.packetsInController).reduce(0, +) == capacity)
            #expect(links.allSatisfy { $0.outgoing.isEmpty || $0.isInTransmitQueue })
        }
    }
}
