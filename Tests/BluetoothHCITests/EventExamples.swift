// Every event: octets as the specification lays them out, read back to the same value. The octets were written by hand
// from the tables of Vol 4, Part E, 7.7.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHCI

struct EventExample: Sendable, CustomTestStringConvertible {
    let name: String
    let code: HCIEventCode
    let check: @Sendable () throws -> Void

    var testDescription: String { self.name }

    init<Payload: HCIEventPayload>(
        _ payload: Payload,
        _ hex: String,
        _ unwrap: @escaping @Sendable (HCIEvent) -> Payload?
    ) {
        self.name = String(String(describing: Payload.self).prefix { $0 != "<" })
        self.code = Payload.code
        self.check = {
            let packet = HCIPacket(h4: ByteBuffer(hex: hex))
            #expect(payload.packet().bytes.hex == packet.bytes.hex)
            let event = try HCIEvent(packet)
            #expect(unwrap(event) == payload)
            #expect(event.packet() == packet)
            #expect(event.payload?.description == payload.description)
            #expect(event.description == payload.description)
            #expect(packet.description == payload.description)
            #expect(!event.description.contains("\n"))

            // More parameters than are known are ignored, but for Return_Parameters, which are all that follows.
            let start = Payload.leSubevent == nil ? 3 : 4
            let parameters =
                packet.bytes.getSlice(at: start, length: packet.bytes.readableBytes - start) ?? ByteBuffer()
            if Payload.self != CommandComplete.self {
                var longer = parameters
                longer.writeBytes([0xAA, 0xBB])
                #expect(try Payload(parsing: &longer) == payload)
                // Fewer are malformed.
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
        EventExample(
            DisconnectionComplete(handle: ConnectionHandle(rawValue: 0x0123), reason: .connectionTimeout),
            "04 05 04 00 23 01 08"
        ) { if case .disconnectionComplete(let event) = $0 { event } else { nil } },
        EventExample(
            EncryptionChange(handle: ConnectionHandle(rawValue: 0x0123), encryption: .on),
            "04 08 04 00 23 01 01"
        ) { if case .encryptionChange(let event) = $0 { event } else { nil } },
        EventExample(
            ReadRemoteVersionInformationComplete(
                handle: ConnectionHandle(rawValue: 0x0123),
                version: .v5_2,
                company: 0x004C,
                subversion: 0x1234
            ),
            "04 0C 08 00 23 01 0B 4C 00 34 12"
        ) { if case .readRemoteVersionInformationComplete(let event) = $0 { event } else { nil } },
        EventExample(
            CommandComplete(
                numberOfCommandPackets: 5,
                opcode: LERand.opcode,
                returnParameters: ByteBuffer(hex: "00 01 02 03 04 05 06 07 08")
            ),
            "04 0E 0C 05 18 20 00 01 02 03 04 05 06 07 08"
        ) { if case .commandComplete(let event) = $0 { event } else { nil } },
        EventExample(
            CommandStatus(status: .commandDisallowed, numberOfCommandPackets: 1, opcode: LECreateConnection.opcode),
            "04 0F 04 0C 01 0D 20"
        ) { if case .commandStatus(let event) = $0 { event } else { nil } },
        EventExample(HardwareError(hardwareCode: 0x42), "04 10 01 42") {
            if case .hardwareError(let event) = $0 { event } else { nil }
        },
        EventExample(
            NumberOfCompletedPackets(
                completed: CompletedPackets([
                    .init(handle: ConnectionHandle(rawValue: 0x0123), count: 2),
                    .init(handle: ConnectionHandle(rawValue: 0x0EFF), count: 0x0102),
                ])
            ),
            "04 13 09 02 23 01 02 00 FF 0E 02 01"
        ) { if case .numberOfCompletedPackets(let event) = $0 { event } else { nil } },
        EventExample(DataBufferOverflow(linkType: .acl), "04 1A 01 01") {
            if case .dataBufferOverflow(let event) = $0 { event } else { nil }
        },
        EventExample(EncryptionKeyRefreshComplete(handle: ConnectionHandle(rawValue: 0x0123)), "04 30 03 00 23 01") {
            if case .encryptionKeyRefreshComplete(let event) = $0 { event } else { nil }
        },
        EventExample(AuthenticatedPayloadTimeoutExpired(handle: ConnectionHandle(rawValue: 0x0123)), "04 57 02 23 01") {
            if case .authenticatedPayloadTimeoutExpired(let event) = $0 { event } else { nil }
        },
        EventExample(
            EncryptionChangeV2(handle: ConnectionHandle(rawValue: 0x0123), encryption: .on, keySize: 16),
            "04 59 05 00 23 01 01 10"
        ) { if case .encryptionChangeV2(let event) = $0 { event } else { nil } },
        EventExample(
            LEConnectionComplete(
                handle: ConnectionHandle(rawValue: 0x0123),
                role: .peripheral,
                peer: DeviceAddress(0xC0FF_EE12_3456, kind: .random),
                interval: ConnectionInterval(.milliseconds(30)),
                latency: 4,
                supervisionTimeout: SupervisionTimeout(.seconds(5)),
                centralClockAccuracy: .ppm50
            ),
            "04 3E 13 01 00 23 01 01 01 56 34 12 EE FF C0 18 00 04 00 F4 01 05"
        ) { if case .leConnectionComplete(let event) = $0 { event } else { nil } },
        EventExample(
            LEAdvertisingReports([
                LEAdvertisingReport(
                    eventType: .connectableUndirected,
                    address: DeviceAddress(0xC0FF_EE12_3456, kind: .random),
                    data: ByteBuffer(hex: "02 01 06"),
                    rssi: -45
                ),
                LEAdvertisingReport(
                    eventType: .scanResponse,
                    address: DeviceAddress(0xC0FF_EE12_3456, kind: .random),
                    data: ByteBuffer(),
                    rssi: nil
                ),
            ]),
            "04 3E 19 02 02 00 01 56 34 12 EE FF C0 03 02 01 06 D3 04 01 56 34 12 EE FF C0 00 7F"
        ) { if case .leAdvertisingReports(let event) = $0 { event } else { nil } },
        EventExample(
            LEConnectionUpdateComplete(
                handle: ConnectionHandle(rawValue: 0x0123),
                interval: ConnectionInterval(.milliseconds(30)),
                latency: 4,
                supervisionTimeout: SupervisionTimeout(.seconds(5))
            ),
            "04 3E 0A 03 00 23 01 18 00 04 00 F4 01"
        ) { if case .leConnectionUpdateComplete(let event) = $0 { event } else { nil } },
        EventExample(
            LEReadRemoteFeaturesComplete(
                handle: ConnectionHandle(rawValue: 0x0123),
                features: [.encryption, .dataPacketLengthExtension, .phyCoded]
            ),
            "04 3E 0C 04 00 23 01 21 08 00 00 00 00 00 00"
        ) { if case .leReadRemoteFeaturesComplete(let event) = $0 { event } else { nil } },
        EventExample(
            LELongTermKeyRequest(
                handle: ConnectionHandle(rawValue: 0x0123),
                random: 0x1122_3344_5566_7788,
                encryptedDiversifier: 0xABCD
            ),
            "04 3E 0D 05 23 01 88 77 66 55 44 33 22 11 CD AB"
        ) { if case .leLongTermKeyRequest(let event) = $0 { event } else { nil } },
        EventExample(
            LERemoteConnectionParameterRequest(
                handle: ConnectionHandle(rawValue: 0x0123),
                minimumInterval: ConnectionInterval(.milliseconds(30)),
                maximumInterval: ConnectionInterval(.milliseconds(50)),
                latency: 4,
                supervisionTimeout: SupervisionTimeout(.seconds(5))
            ),
            "04 3E 0B 06 23 01 18 00 28 00 04 00 F4 01"
        ) { if case .leRemoteConnectionParameterRequest(let event) = $0 { event } else { nil } },
        EventExample(
            LEDataLengthChange(
                handle: ConnectionHandle(rawValue: 0x0123),
                transmitOctets: 251,
                transmitTime: 2120,
                receiveOctets: 27,
                receiveTime: 328
            ),
            "04 3E 0B 07 23 01 FB 00 48 08 1B 00 48 01"
        ) { if case .leDataLengthChange(let event) = $0 { event } else { nil } },
        EventExample(
            LEReadLocalP256PublicKeyComplete(
                x: Octets32(
                    high: Octets16(high: 0x1F1E_1D1C_1B1A_1918, low: 0x1716_1514_1312_1110),
                    low: Octets16(high: 0x0F0E_0D0C_0B0A_0908, low: 0x0706_0504_0302_0100)
                ),
                y: Octets32(high: .zero, low: Octets16(high: 0x1F1E_1D1C_1B1A_1918, low: 0x1716_1514_1312_1110))
            ),
            "04 3E 42 08 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 14 15 16 17 18 19 1A 1B 1C 1D 1E 1F 10 11 12 13 14 15 16 17 18 19 1A 1B 1C 1D 1E 1F 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
        ) { if case .leReadLocalP256PublicKeyComplete(let event) = $0 { event } else { nil } },
        EventExample(
            LEGenerateDHKeyComplete(
                key: Octets32(
                    high: Octets16(high: 0x1F1E_1D1C_1B1A_1918, low: 0x1716_1514_1312_1110),
                    low: Octets16(high: 0x0F0E_0D0C_0B0A_0908, low: 0x0706_0504_0302_0100)
                )
            ),
            "04 3E 22 09 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 14 15 16 17 18 19 1A 1B 1C 1D 1E 1F"
        ) { if case .leGenerateDHKeyComplete(let event) = $0 { event } else { nil } },
        EventExample(
            LEEnhancedConnectionComplete(
                handle: ConnectionHandle(rawValue: 0x0123),
                role: .central,
                peer: DeviceAddress(0xC0FF_EE12_3456, kind: .randomIdentity),
                localResolvableAddress: nil,
                peerResolvableAddress: DeviceAddress(0x4A11_2233_4455, kind: .random),
                interval: ConnectionInterval(.milliseconds(30)),
                latency: 4,
                supervisionTimeout: SupervisionTimeout(.seconds(5)),
                centralClockAccuracy: .ppm20
            ),
            "04 3E 1F 0A 00 23 01 00 03 56 34 12 EE FF C0 00 00 00 00 00 00 55 44 33 22 11 4A 18 00 04 00 F4 01 07"
        ) { if case .leEnhancedConnectionComplete(let event) = $0 { event } else { nil } },
        EventExample(
            LEDirectedAdvertisingReports([
                LEDirectedAdvertisingReport(
                    address: DeviceAddress(0xC0FF_EE12_3456, kind: .random),
                    target: .unresolved(DeviceAddress(0x4A11_2233_4455, kind: .random)),
                    rssi: -70
                )
            ]),
            "04 3E 12 0B 01 01 01 56 34 12 EE FF C0 FE 55 44 33 22 11 4A BA"
        ) { if case .leDirectedAdvertisingReports(let event) = $0 { event } else { nil } },
        EventExample(
            LEPHYUpdateComplete(handle: ConnectionHandle(rawValue: 0x0123), transmitter: .le2M, receiver: .leCoded),
            "04 3E 06 0C 00 23 01 02 03"
        ) { if case .lePHYUpdateComplete(let event) = $0 { event } else { nil } },
        EventExample(
            LEExtendedAdvertisingReports([
                LEExtendedAdvertisingReport(
                    eventType: [.connectable, .scannable, .legacy],
                    address: DeviceAddress(0xC0FF_EE12_3456, kind: .random),
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
        ) { if case .leExtendedAdvertisingReports(let event) = $0 { event } else { nil } },
        EventExample(LEScanTimeout(), "04 3E 01 11 ") { if case .leScanTimeout(let event) = $0 { event } else { nil } },
        EventExample(
            LEAdvertisingSetTerminated(
                advertisingHandle: AdvertisingHandle(rawValue: 3),
                handle: ConnectionHandle(rawValue: 0x0123),
                completedEvents: 7
            ),
            "04 3E 06 12 00 03 23 01 07"
        ) { if case .leAdvertisingSetTerminated(let event) = $0 { event } else { nil } },
        EventExample(
            LEScanRequestReceived(
                advertisingHandle: AdvertisingHandle(rawValue: 3),
                scanner: DeviceAddress(0xC0FF_EE12_3456, kind: .random)
            ),
            "04 3E 09 13 03 01 56 34 12 EE FF C0"
        ) { if case .leScanRequestReceived(let event) = $0 { event } else { nil } },
        EventExample(
            LEChannelSelectionAlgorithm(handle: ConnectionHandle(rawValue: 0x0123), algorithm: .algorithm2),
            "04 3E 04 14 23 01 01"
        ) { if case .leChannelSelectionAlgorithm(let event) = $0 { event } else { nil } },
        EventExample(
            LEEnhancedConnectionCompleteV2(
                connection: LEEnhancedConnectionComplete(
                    status: .advertisingTimeout,
                    handle: ConnectionHandle(rawValue: 0x0123),
                    role: .peripheral,
                    peer: DeviceAddress(0xC0FF_EE12_3456, kind: .random),
                    localResolvableAddress: DeviceAddress(0x4A11_2233_4455, kind: .random),
                    peerResolvableAddress: nil,
                    interval: ConnectionInterval(.milliseconds(30)),
                    latency: 4,
                    supervisionTimeout: SupervisionTimeout(.seconds(5))
                ),
                advertisingHandle: AdvertisingHandle(rawValue: 3),
                syncHandle: 0x0102
            ),
            "04 3E 22 29 3C 23 01 01 01 56 34 12 EE FF C0 55 44 33 22 11 4A 00 00 00 00 00 00 18 00 04 00 F4 01 00 03 02 01"
        ) { if case .leEnhancedConnectionCompleteV2(let event) = $0 { event } else { nil } },
    ]
}
