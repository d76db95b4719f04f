// Walks through the queue of commands and the flow of ACL data in both directions, with everything that they do on
// record.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("HCI machines: walks")
struct HCIWalkTests {
    @Test("commands leave in order, as many as are allowed, and each ends once", arguments: 0..<12 as Range<UInt64>)
    func commandQueue(seed: UInt64) {
        var choice = WalkChoice(seed)
        var queue = CommandQueue()
        var now = 0
        var number: UInt16 = 0
        var sent: [HCIOpcode] = []
        var appended: Set<UInt16> = []
        func entry() -> CommandQueue.Entry {
            number += 1
            appended.insert(number)
            return CommandQueue.Entry(
                opcode: HCIOpcode(rawValue: number),
                packet: HCIPacket(
                    h4: ByteBuffer(bytes: [1, UInt8(truncatingIfNeeded: number), UInt8(number >> 8), 0])
                ),
                completion: { _ in }
            )
        }
        for _ in 0..<400 {
            now += choice.one([0, 0, 0, 1, 500, 1_999, choice.oneIn(4) ? 2_000 : 0])
            let time = NIODeadline.uptimeNanoseconds(0) + .milliseconds(Int64(now))
            switch choice.below(10) {
            case 0, 1, 2: queue.append(entry())
            case 3 where choice.oneIn(3): queue.prepend(entry())
            case 4, 5, 6:
                let packet = queue.next(now: time, timeout: .seconds(2))
                if let packet, let opcode = packet.payload.getInteger(at: 1, endianness: .little, as: UInt16.self) {
                    sent.append(HCIOpcode(rawValue: opcode))
                }
                RunRecord.note("next \(packet.map { $0.bytes.hex } ?? "-")")
            case 7, 8:
                let opcode = choice.oneIn(5) ? HCIOpcode(rawValue: 0) : sent.randomElement(using: &choice.generator)
                let answered = queue.answered(opcode ?? .none, credits: UInt8(choice.one([0, 1, 1, 1, 2])))
                if let answered { #expect(appended.remove(answered.opcode.rawValue) != nil) }
                RunRecord.note("answered \(answered.map { "\($0.opcode.rawValue)" } ?? "-")")
            default:
                let expired = queue.expired(at: time)
                for entry in expired { #expect(appended.remove(entry.opcode.rawValue) != nil) }
                RunRecord.note("expired \(expired.map(\.opcode.rawValue))")
            }
            if choice.oneIn(150) {
                let abandoned = queue.abandon().map(\.opcode.rawValue)
                #expect(Set(abandoned) == appended)
                appended = []
                RunRecord.note("abandoned \(abandoned)")
            }
            RunRecord.note("\(String(describing: queue.nextDeadline)) \(queue.waitingCount)")
        }
    }

    @Test("packets of the controller are reported when it is time, and each once", arguments: 0..<12 as Range<UInt64>)
    func receiver(seed: UInt64) {
        var choice = WalkChoice(seed)
        var receiver = ACLReceiver()
        var links = (1...4).map { HostLink.alone(UInt16($0)) }
        if seed % 4 != 0 { receiver.enable() }
        var counted: [UInt16: Int] = [:]
        for _ in 0..<600 {
            let link = choice.one(links)
            switch choice.below(40) {
            case 0: receiver.pause(link)
            case 1, 2: receiver.resume(link)
            case 3 where choice.oneIn(4):
                receiver.closed(link)
                counted[link.handle.rawValue] = nil
                links.removeAll { $0 === link }
                links.append(HostLink.alone(link.handle.rawValue))
            case 4 where choice.oneIn(10):
                receiver.reset()
                links = (1...4).map { HostLink.alone(UInt16($0)) }
                counted = [:]
                if choice.oneIn(2) { receiver.enable() }
            case 5:
                let report = receiver.takeReport(of: links)
                for element in report {
                    #expect(counted.removeValue(forKey: element.handle.rawValue) == Int(element.count))
                }
                RunRecord.note("\(report.map { "\($0.handle.rawValue) \($0.count)" })")
            default:
                receiver.received(on: link)
                if receiver.isLimited { counted[link.handle.rawValue, default: 0] += 1 }
            }
            RunRecord.note("\(receiver.isLimited) \(receiver.isReportDue)")
        }
    }

    @Test("links take turns, and nothing leaves without a credit", arguments: 0..<12 as Range<UInt64>)
    func transmitter(seed: UInt64) {
        var choice = WalkChoice(seed)
        var transmitter = ACLTransmitter()
        transmitter.configure(dataLength: choice.one([0, 22, 23, 24, 27, 251]), packetCount: choice.below(6))
        RunRecord.note("\(transmitter.dataLength)")
        let capacity = transmitter.credits
        var links = (1...4).map { HostLink.alone(UInt16($0)) }
        for _ in 0..<400 {
            let link = choice.one(links)
            switch choice.below(12) {
            case 0...4:
                link.enqueueFrame()
                transmitter.enqueue(link)
            case 5...7:
                guard let turn = transmitter.nextTurn() else { continue }
                repeat {
                    _ = turn.nextPacket()
                    RunRecord.note("\(turn.handle.rawValue)")
                } while transmitter.goesOn(turn)
                transmitter.enqueue(turn)
            case 8, 9, 10: transmitter.completed(choice.below(4), of: link)
            default:
                guard choice.oneIn(4) else { continue }
                transmitter.closed(link)
                links.removeAll { $0 === link }
                links.append(HostLink.alone(link.handle.rawValue))
            }
            #expect(transmitter.credits + links.map(\.packetsInController).reduce(0, +) == capacity)
            RunRecord.note(
                "\(transmitter.credits) \(links.map(\.packetsInController)) \(links.map(\.isInTransmitQueue))"
            )
        }
    }

    @Test("what a controller says of itself decides which commands are tried")
    func controllerInformation() {
        var controller = ControllerInformation()
        #expect(controller.publicAddress == nil && controller.knows(LESetPHY.self))
        controller.address = DeviceAddress(1, kind: .public)
        #expect(controller.publicAddress == controller.address)
        controller.supportedCommands = SupportedCommands([LESetPHY.self])
        #expect(controller.supportedCommands == nil && controller.knows(LESetDataLength.self))
        controller.supportedCommands = SupportedCommands([Reset.self, LESetPHY.self])
        #expect(controller.knows(LESetPHY.self) && !controller.knows(LESetDataLength.self))
        RunRecord.note("\(EventMask.host) \(EventMaskPage2.host) \(LEEventMask.host) \(ControllerInformation())")
    }
}
