import BluetoothTypes
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("4.8 Overflow area")
struct OverflowAreaTests {
    @Test("is manufacturer data of 19 octets with one bit per service")
    func form() {
        var area = OverflowArea()
        area.insert(0x180D)
        let bytes = area.manufacturerData
        #expect(bytes.readableBytes == 19)
        #expect(Array(bytes.readableBytesView.prefix(3)) == [0xFF, 0xFF, 0x01])
        let bit = OverflowArea.bit(of: 0x180D)
        #expect(Array(bytes.readableBytesView.dropFirst(3))[bit / 8] == 1 << UInt8(bit % 8))
        #expect(OverflowArea(manufacturerData: bytes) == area)
    }

    @Test("gives a service the same bit in every version")
    func bits() {
        let services: [BluetoothUUID] = [0x180D, 0x180F, 0x1800, 0xFFF0, 0x1805]
        #expect(services.map(OverflowArea.bit) == [4, 21, 64, 9, 120])
        let long = (0..<4 as Range<UInt64>).map { OverflowArea.bit(of: BluetoothUUID(form: .full($0 << 60, ~$0))) }
        #expect(long == [47, 119, 126, 92])
    }

    @Test("B6 ignores Apple's own field")
    func apple() {
        // Seen on the air for the service 3333.
        let seen: [UInt8] = [0x4C, 0x00, 0x01] + [0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0]
        for octets in [seen, [0x4C, 0x00, 0x01] + Array(repeating: 0xFF, count: 16)] {
            #expect(OverflowArea(manufacturerData: ByteBuffer(bytes: octets)) == nil)
            var data = AdvertisingData()
            data.append(.manufacturerSpecificData, ByteBuffer(bytes: octets))
            let advertisement = Advertisement(data: data.bytes, scanResponse: nil, isConnectable: true)
            #expect(!advertisement.matches(ScanFilter(services: [0x3333])))
            #expect(advertisement.manufacturerData == ByteBuffer(bytes: octets))
        }
    }

    @Test("ignores other manufacturer data", arguments: [0, 2, 18, 20])
    func others(count: Int) {
        #expect(OverflowArea(manufacturerData: ByteBuffer(repeating: 0x4C, count: count)) == nil)
        #expect(OverflowArea(manufacturerData: ByteBuffer(repeating: 0x4C, count: 19)) == nil)
    }
}
