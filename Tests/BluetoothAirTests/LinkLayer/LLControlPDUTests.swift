import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Control PDUs of the link layer")
struct LLControlPDUTests {
    private static let lengths = (
        receive: DataLength(octets: 0x00FB, time: 0x0848), transmit: DataLength(octets: 0x001B, time: 0x0148)
    )
    private static let part = SessionPart(diversifier: 0x0807_0605_0403_0201, vector: 0x0C0B_0A09)
    private static let parameters = ConnectionParameters(
        minimumInterval: 0x0018,
        maximumInterval: 0x0128,
        latency: 0x0103,
        supervisionTimeout: 0x0248
    )

    private static let octets: [(LLControlPDU, String)] = [
        (.connectionUpdate(AirLinkTiming(parameters)), "00 00 00 00 18 00 03 01 48 02 00 00"),
        (.channelMap(ChannelMap(rawValue: 0x15_0403_0201)), "01 01 02 03 04 15 00 00"),
        (.terminate(.remoteUserTerminated), "02 13"),
        (
            .encryptionRequest(random: 0x1817_1615_1413_1211, diversifier: 0x2221, part: part),
            "03 11 12 13 14 15 16 17 18 21 22 01 02 03 04 05 06 07 08 09 0A 0B 0C"
        ),
        (.encryptionResponse(part), "04 01 02 03 04 05 06 07 08 09 0A 0B 0C"),
        (.startEncryptionRequest, "05"),
        (.startEncryptionResponse, "06"),
        (.featureRequest, "08 00 00 00 00 00 00 00 00"),
        (.featureResponse(LEFeatures(rawValue: 0x0807_0605_0403_0201)), "09 01 02 03 04 05 06 07 08"),
        (.pauseEncryptionRequest, "0A"),
        (.pauseEncryptionResponse, "0B"),
        (.version(PeerVersion(version: .v5_4, company: 0x0201, subversion: 0x0403)), "0C 0D 01 02 03 04"),
        (.encryptionReject(.pinOrKeyMissing), "0D 06"),
        (.parameterRequest(parameters), "0F 18 00 28 01 03 01 48 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"),
        (.parameterReject(.unsupportedRemoteFeature), "11 0F 1A"),
        (.pingRequest, "12"),
        (.pingResponse, "13"),
        (.lengthRequest(receive: lengths.receive, transmit: lengths.transmit), "14 FB 00 48 08 1B 00 48 01"),
        (.lengthResponse(receive: lengths.receive, transmit: lengths.transmit), "15 FB 00 48 08 1B 00 48 01"),
        (.phyRequest(transmitter: .le2M, receiver: [.le1M, .leCoded]), "16 02 05"),
        (.phyResponse(transmitter: .le1M, receiver: .le2M), "17 01 02"),
        (.phyUpdate(centralToPeripheral: .le2M, peripheralToCentral: .le1M), "18 02 01 00 00"),
    ]

    @Test("each has its opcode, and its fields in their order (Vol 6, Part B, 2.4.2)")
    func octets() {
        for (pdu, octets) in Self.octets {
            #expect(pdu.octets.readableBytesView.map(\.hexadecimalDigits).joined(separator: " ") == octets)
            #expect(pdu.octetCount == octets.split(separator: " ").count)
        }
    }

    @Test("those that start, pause or refuse encryption, or end the link, are sent meanwhile (Vol 6, Part B, 5.1.3)")
    func encryption() {
        let names = Self.octets.filter(\.0.isOfEncryption).map { String($0.1.prefix(2)) }
        #expect(names == ["02", "03", "04", "05", "06", "0A", "0B", "0D"])
    }
}
