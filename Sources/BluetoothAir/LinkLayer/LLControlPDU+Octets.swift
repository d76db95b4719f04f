// The octets of control PDUs (Vol 6, Part B, 2.4.2), for encryption and for air time. Fields without a meaning on this
// air, such as instants and window offsets, are zero.

import BluetoothHCI
import BluetoothTypes
import NIOCore

extension LLControlPDU {
    /// The length of opcode and control data.
    var octetCount: Int { self.octets.readableBytes }

    /// The opcode and the control data.
    var octets: ByteBuffer {
        var octets = ByteBuffer()
        octets.reserveCapacity(24)
        octets.writeInteger(self.opcode)
        switch self {
        case .terminate(let reason), .encryptionReject(let reason):
            octets.writeInteger(reason.rawValue)
        case .connectionUpdate(let timing):
            octets.writeRepeatingByte(0, count: 3)
            octets.write(
                timing.interval.rawValue,
                timing.latency,
                timing.supervisionTimeout.rawValue,
                0
            )
        case .parameterRequest(let parameters):
            octets.write(
                parameters.minimumInterval.rawValue,
                parameters.maximumInterval.rawValue,
                parameters.latency,
                parameters.supervisionTimeout.rawValue
            )
            octets.writeRepeatingByte(0, count: 15)
        case .parameterReject(let reason):
            octets.writeBytes([0x0F, reason.rawValue])
        case .featureRequest:
            octets.writeRepeatingByte(0, count: 8)
        case .featureResponse(let features):
            octets.writeInteger(features.rawValue, endianness: .little)
        case .version(let version):
            octets.writeInteger(version.version.rawValue)
            octets.write(version.company, version.subversion)
        case .lengthRequest(let receive, let transmit), .lengthResponse(let receive, let transmit):
            octets.write(receive.octets, receive.time, transmit.octets, transmit.time)
        case .phyRequest(let transmitter, let receiver), .phyResponse(let transmitter, let receiver):
            octets.writeBytes([transmitter.rawValue, receiver.rawValue])
        case .phyUpdate(let centralToPeripheral, let peripheralToCentral):
            octets.writeBytes([centralToPeripheral.rawValue, peripheralToCentral.rawValue, 0, 0])
        case .channelMap(let channels):
            octets.write(
                UInt16(truncatingIfNeeded: channels.rawValue),
                UInt16(truncatingIfNeeded: channels.rawValue >> 16)
            )
            octets.writeBytes([UInt8(truncatingIfNeeded: channels.rawValue >> 32), 0, 0])
        case .encryptionRequest(let random, let diversifier, let part):
            octets.writeInteger(random, endianness: .little)
            octets.writeInteger(diversifier, endianness: .little)
            octets.write(part)
        case .encryptionResponse(let part):
            octets.write(part)
        case .startEncryptionRequest, .startEncryptionResponse, .pauseEncryptionRequest, .pauseEncryptionResponse,
            .pingRequest, .pingResponse:
            break
        }
        return octets
    }

    private var opcode: UInt8 {
        switch self {
        case .connectionUpdate: 0x00
        case .channelMap: 0x01
        case .terminate: 0x02
        case .encryptionRequest: 0x03
        case .encryptionResponse: 0x04
        case .startEncryptionRequest: 0x05
        case .startEncryptionResponse: 0x06
        case .featureRequest: 0x08
        case .featureResponse: 0x09
        case .pauseEncryptionRequest: 0x0A
        case .pauseEncryptionResponse: 0x0B
        case .version: 0x0C
        case .encryptionReject: 0x0D
        case .parameterRequest: 0x0F
        case .parameterReject: 0x11
        case .pingRequest: 0x12
        case .pingResponse: 0x13
        case .lengthRequest: 0x14
        case .lengthResponse: 0x15
        case .phyRequest: 0x16
        case .phyResponse: 0x17
        case .phyUpdate: 0x18
        }
    }
}

extension ByteBuffer {
    fileprivate mutating func write(_ numbers: UInt16...) {
        for number in numbers { self.writeInteger(number, endianness: .little) }
    }

    fileprivate mutating func write(_ part: SessionPart) {
        self.writeInteger(part.diversifier, endianness: .little)
        self.writeInteger(part.vector, endianness: .little)
    }
}
