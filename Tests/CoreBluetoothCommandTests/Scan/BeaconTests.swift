import BluetoothTypes
import Foundation
import NIOCore
import Testing

@testable import CoreBluetoothCommand

@Suite("A beacon")
struct BeaconTests {
    private static let uuid = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
    private static let (namespace, instance) = ([UInt8](repeating: 0xA1, count: 10), [UInt8](repeating: 0xB2, count: 6))

    private static func octets(_ digits: String) -> ByteBuffer {
        ByteBuffer(bytes: HexadecimalText.octets(digits) ?? Data())
    }

    @Test(
        "has the octets of its specification, and is read from them",
        arguments: [
            (
                .iBeacon(uuid: uuid, major: 1, minor: 0x1234, power: -59),
                "1A FF 4C 00 02 15 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 00 01 12 34 C5"
            ),
            (
                .eddystoneUID(namespace: namespace, instance: instance, power: -18),
                "03 03 AA FE 17 16 AA FE 00 EE A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 B2 B2 B2 B2 B2 B2 00 00"
            ),
            (.eddystoneURL("https://goo.gl/x", power: 0), "03 03 AA FE 0E 16 AA FE 10 00 03 67 6F 6F 2E 67 6C 2F 78"),
        ] as [(Beacon, String)]
    )
    func octets(beacon: Beacon, digits: String) {
        let data = AdvertisingData(elements: beacon.elements)
        #expect(data.bytes == Self.octets(digits) && data.octetCount <= 28)
        let read =
            data.manufacturerSpecificData.flatMap { Beacon(manufacturerData: $0) }
            ?? data.serviceData.first.flatMap { Beacon(serviceData: $0.data, of: $0.uuid) }
        #expect(read == beacon)
    }

    @Test(
        "has one octet for the scheme of a URL, and for each common ending of a host",
        arguments: [
            ("http://www.example.com/", "00 65 78 61 6D 70 6C 65 00"), ("https://a.org", "03 61 08"),
            ("https://www.a.info/b.com/c", "01 61 04 62 00 63"), ("HTTPS://a.gov", "03 61 0D"), ("http://", "02"),
            ("ftp://a.com", nil), ("https://a b", nil), ("https://ä", nil), ("", nil),
        ] as [(String, String?)]
    )
    func urls(url: String, digits: String?) {
        #expect(Beacon.compressed(url).map { ByteBuffer(bytes: $0) } == digits.map { Self.octets($0) })
    }
}
