import BluetoothHCI
import BluetoothTransport
import Fixtures
import NIOCore

@testable import BluetoothAirService

/// Controllers that hear each other's vendor command 0xFC01 as a vendor event.
final class ServedFakeAir {
    let eventLoop: any EventLoop
    private(set) var controllers: [ServedFakeController] = []
    private var made: UInt8 = 0

    init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    func makeController() -> ServedFakeController {
        self.made += 1
        let controller = ServedFakeController(air: self, number: self.made)
        self.controllers.append(controller)
        return controller
    }

    func say(_ octets: [UInt8], from speaker: ServedFakeController) {
        for controller in self.controllers where controller !== speaker {
            controller.deliver([0x04, 0xFF, UInt8(octets.count)] + octets)
        }
    }

    func leave(_ controller: ServedFakeController) { self.controllers.removeAll { $0 === controller } }
}

/// A controller that knows Reset, Read BD_ADDR and the message of ``ServedFakeAir``.
final class ServedFakeController: HCIChannel {
    let eventLoop: any EventLoop
    private let air: ServedFakeAir
    private let number: UInt8
    private weak var receiver: (any HCIChannelReceiver)?

    init(air: ServedFakeAir, number: UInt8) {
        self.eventLoop = air.eventLoop
        self.air = air
        self.number = number
    }

    func start(receiver: any HCIChannelReceiver) { self.receiver = receiver }

    func send(_ packet: HCIPacket) {
        let octets = Array(packet.bytes.readableBytesView)
        switch (octets[1], octets[2]) {
        case (0x03, 0x0C): self.deliver([0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00])
        case (0x09, 0x10): self.deliver([0x04, 0x0E, 0x0A, 0x01, 0x09, 0x10, 0x00, self.number, 0, 0, 0, 0, 0])
        case (0x01, 0xFC): self.air.say(Array(octets[4...]), from: self)
        case (0x02, 0xFC): self.receiver?.channel(self, didCloseBecause: "the controller has had enough")
        default: self.deliver([0x04, 0x0E, 0x04, 0x01, octets[1], octets[2], 0x01])
        }
    }

    func deliver(_ octets: [UInt8]) {
        self.eventLoop.assumeIsolated().execute {
            self.receiver?.channel(self, didReceive: HCIPacket(h4: ByteBuffer(bytes: octets)))
            self.receiver?.channelDidFinishBatch(self)
        }
    }

    func close() {
        self.receiver = nil
        self.air.leave(self)
    }
}

extension RawSocket {
    /// Sends a command and reads its Command Complete event, as the simplest host does.
    func complete(_ opcode: UInt16, _ parameters: [UInt8] = []) -> [UInt8] {
        self.send([0x01, UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(parameters.count)] + parameters)
        let head = self.read(3)
        guard head.count == 3 else { return head }
        return head + self.read(Int(head[2]))
    }
}
