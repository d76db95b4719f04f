// Every event: the octets of the specification, which are parsed to the same value. The octets were written by hand
// from the tables of Vol 4, Part E, 7.7.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHCI

struct EventExample: Samples, Sendable, CustomTestStringConvertible {
    let name: String
    let code: HCIEventCode
    let check: @Sendable () throws -> Void

    var testDescription: String { self.name }

    init<Payload: HCIEventPayload>(_ payload: Payload, _ hex: String) {
        self.name = String(String(describing: Payload.self).prefix { $0 != "<" })
        self.code = Payload.code
        self.check = {
            let packet = HCIPacket(h4: ByteBuffer(hex: hex))
            #expect(payload.packet().bytes.hex == packet.bytes.hex)
            let event = try HCIEvent(packet)
            #expect(event.payload as? Payload == payload)
            #expect(event.payload?.description == payload.description)
            #expect(event.description == payload.description)
            #expect(packet.description == payload.description)
            #expect(!event.description.contains("\n"))

            // Additional parameters are ignored, except after Return_Parameters, which take everything.
            let start = Payload.leSubevent == nil ? 3 : 4
            let parameters =
                packet.bytes.getSlice(at: start, length: packet.bytes.readableBytes - start) ?? ByteBuffer()
            if Payload.self != CommandComplete.self {
                var longer = parameters
                longer.writeBytes([0xAA, 0xBB])
                #expect(try Payload(parsing: &longer) == payload)
                // Missing parameters are malformed.
                for count in 0..<parameters.readableBytes {
                    var short = parameters.getSlice(at: 0, length: count) ?? ByteBuffer()
                    #expect(throws: MalformedBytes.self) { try Payload(parsing: &short) }
                }
            }
        }
    }
}

extension EventExample {
    static let all: [EventExample] = [
        EventExample(DisconnectionComplete(handle: handle, reason: .connectionTimeout), "04 05 04 00 23 01 08"),
        EventExample(EncryptionChange(handle: handle, encryption: .on), "04 08 04 00 23 01 01"),
        EventExample(
            ReadRemoteVersionInformationComplete(handle: handle, version: .v5_2, company: 0x004C, subversion: 0x1234),
            "04 0C 08 00 23 01 0B 4C 00 34 12"
        ),
        EventExample(
            CommandComplete(
                numberOfCommandPackets: 5,
                opcode: LERand.opcode,
                returnParameters: ByteBuffer(hex: "00 01 02 03 04 05 06 07 08")
            ),
            "04 0E 0C 05 18 20 00 01 02 03 04 05 06 07 08"
        ),
        EventExample(
            CommandStatus(status: .commandDisallowed, numberOfCommandPackets: 1, opcode: LECreateConnection.opcode),
            "04 0F 04 0C 01 0D 20"
        ),
        EventExample(HardwareError(hardwareCode: 0x42), "04 10 01 42"),
        EventExample(
            NumberOfCompletedPackets(
                completed: CompletedPackets([
                    .init(handle: handle, count: 2), .init(handle: ConnectionHandle(rawValue: 0x0EFF), count: 0x0102),
                ])
            ),
            "04 13 09 02 23 01 02 00 FF 0E 02 01"
        ),
        EventExample(DataBufferOverflow(linkType: .acl), "04 1A 01 01"),
        EventExample(EncryptionKeyRefreshComplete(handle: handle), "04 30 03 00 23 01"),
        EventExample(AuthenticatedPayloadTimeoutExpired(handle: handle), "04 57 02 23 01"),
        EventExample(EncryptionChangeV2(handle: handle, encryption: .on, keySize: 16), "04 59 05 00 23 01 01 10"),
        EventExample(
            LEConnectionComplete(
                handle: handle,
                role: .peripheral,
                peer: address,
                interval: ConnectionInterval(.milliseconds(30)),
                latency: 4,
                supervisionTimeout: SupervisionTimeout(.seconds(5)),
                centralClockAccuracy: .ppm50
            ),
            "04 3E 13 01 00 23 01 01 01 56 34 12 EE FF C0 18 00 04 00 F4 01 05"
        ),
        EventExample(
            LEAdvertisingReports([
                LEAdvertisingReport(
                    eventType: .connectableUndirected,
                    address: address,
                    data: ByteBuffer(hex: "02 01 06"),
                    rssi: -45
                ), LEAdvertisingReport(eventType: .scanResponse, address: address, data: ByteBuffer(), rssi: nil),
            ]),
            "04 3E 19 02 02 00 01 56 34 12 EE FF C0 03 02 01 06 D3 04 01 56 34 12 EE FF C0 00 7F"
        ),
        EventExample(
            LEConnectionUpdateComplete(
                handle: handle,
                interval: ConnectionInterval(.milliseconds(30)),
                latency: 4,
                supervisionTimeout: SupervisionTimeout(.seconds(5))
            ),
            "04 3E 0A 03 00 23 01 18 00 04 00 F4 01"
        ),
        EventExample(
            LEReadRemoteFeaturesComplete(
                handle: handle,
                features: [.encryption, .dataPacketLengthExtension, .phyCoded]
            ),
            "04 3E 0C 04 00 23 01 21 08 00 00 00 00 00 00"
        ),
        EventExample(
            LELongTermKeyRequest(handle: handle, random: 0x1122_3344_5566_7788, encryptedDiversifier: 0xABCD),
            "04 3E 0D 05 23 01 88 77 66 55 44 33 22 11 CD AB"
        ),
        EventExample(
            LERemoteConnectionParameterRequest(
                handle: handle,
                minimumInterval: ConnectionInterval(.milliseconds(30)),
                maximumInterval: ConnectionInterval(.milliseconds(50)),
                latency: 4,
                supervisionTimeout: SupervisionTimeout(.seconds(5))
            ),
            "04 3E 0B 06 23 01 18 00 28 00 04 00 F4 01"
        ),
        EventExample(
            LEDataLengthChange(
                handle: handle,
                transmitOctets: 251,
                transmitTime: 2120,
                receiveOctets: 27,
                receiveTime: 328
            ),
            "04 3E 0B 07 23 01 FB 00 48 08 1B 00 48 01"
        ),
        EventExample(
            LEReadLocalP256PublicKeyComplete(x: x, y: y),
            "04 3E 42 08 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 14 15 16 17 18 19 1A 1B 1C 1D 1E 1F 10 11 12 13 14 15 16 17 18 19 1A 1B 1C 1D 1E 1F 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
        ),
        EventExample(
            LEGenerateDHKeyComplete(key: x),
            "04 3E 22 09 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 14 15 16 17 18 19 1A 1B 1C 1D 1E 1F"
        ),
        EventExample(
            LEEnhancedConnectionComplete(
                handle: handle,
                role: .central,
                peer: DeviceAddress(0xC0FF_EE12_3456, kind: .randomIdentity),
                localResolvableAddress: nil,
                peerResolvableAddress: resolvable,
                interval: ConnectionInterval(.milliseconds(30)),
                latency: 4,
                supervisionTimeout: SupervisionTimeout(.seconds(5)),
                centralClockAccuracy: .ppm20
            ),
            "04 3E 1F 0A 00 23 01 00 03 56 34 12 EE FF C0 00 00 00 00 00 00 55 44 33 22 11 4A 18 00 04 00 F4 01 07"
        ),
        EventExample(
            LEDirectedAdvertisingReports([
                LEDirectedAdvertisingReport(address: address, target: .unresolved(resolvable), rssi: -70)
            ]),
            "04 3E 12 0B 01 01 01 56 34 12 EE FF C0 FE 55 44 33 22 11 4A BA"
        ),
        EventExample(
            LEPHYUpdateComplete(handle: handle, transmitter: .le2M, receiver: .leCoded),
            "04 3E 06 0C 00 23 01 02 03"
        ),
        EventExample(
            LEExtendedAdvertisingReports([
                LEExtendedAdvertisingReport(
                    eventType: [.connectable, .scannable, .legacy],
                    address: address,
                    rssi: -45,
                    data: ByteBuffer(hex: "02 01 06")
                ),
                LEExtendedAdvertisingReport(
                    eventType: [.connectable, .directed],
                    address: nil,
                    primaryPHY: .leCoded,
                    secondaryPHY: .le2M,
                    setIdentifier: 9,
                    txPower: -2,
                    rssi: -80,
                    periodicInterval: PeriodicAdvertisingInterval(rawValue: 0x0102),
                    target: .device(DeviceAddress(0x0011_2233_4455, kind: .publicIdentity)),
                    data: ByteBuffer()
                ),
            ]),
            "04 3E 35 0D 02 13 00 01 56 34 12 EE FF C0 01 00 FF 7F D3 00 00 00 00 00 00 00 00 00 03 02 01 06 05 00 FF 00 00 00 00 00 00 03 02 09 FE B0 02 01 02 55 44 33 22 11 00 00"
        ),
        EventExample(LEScanTimeout(), "04 3E 01 11 "),
        EventExample(
            LEAdvertisingSetTerminated(advertisingHandle: .init(rawValue: 3), handle: handle, completedEvents: 7),
            "04 3E 06 12 00 03 23 01 07"
        ),
        EventExample(
            LEScanRequestReceived(advertisingHandle: .init(rawValue: 3), scanner: address),
            "04 3E 09 13 03 01 56 34 12 EE FF C0"
        ),
        EventExample(LEChannelSelectionAlgorithm(handle: handle, algorithm: .algorithm2), "04 3E 04 14 23 01 01"),
        EventExample(
            LEEnhancedConnectionCompleteV2(
                connection: LEEnhancedConnectionComplete(
                    status: .advertisingTimeout,
                    handle: handle,
                    role: .peripheral,
                    peer: address,
                    localResolvableAddress: resolvable,
                    peerResolvableAddress: nil,
                    interval: ConnectionInterval(.milliseconds(30)),
                    latency: 4,
                    supervisionTimeout: SupervisionTimeout(.seconds(5))
                ),
                advertisingHandle: .init(rawValue: 3),
                syncHandle: 0x0102
            ),
            "04 3E 22 29 3C 23 01 01 01 56 34 12 EE FF C0 55 44 33 22 11 4A 00 00 00 00 00 00 18 00 04 00 F4 01 00 03 02 01"
        ),
    ]
}
