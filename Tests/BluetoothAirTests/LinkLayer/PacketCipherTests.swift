import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Packet cipher")
struct PacketCipherTests {
    private static let key = Octets16(high: 0x1122_3344_5566_7788, low: 0x99AA_BBCC_DDEE_FF00)

    /// Vol 6, Part C, 1.
    @Test("seals the sample data of the specification (Vol 6, Part C, 1)")
    func vectors() {
        let key = SessionKey(
            longTermKey: Octets16(high: 0x4C68_3841_39F5_74D8, low: 0x36BC_F34E_9DFB_01BF),
            central: SessionPart(diversifier: 0xACBD_CEDF_E0F1_0213, vector: 0xBADC_AB24),
            peripheral: SessionPart(diversifier: 0x0213_2435_4657_6879, vector: 0xDEAF_BABE)
        )
        #expect(key.key.description == "99AD1B5226A37E3E058E3B8E27C2C666")
        var (central, peripheral) = (key.cipher(fromCentral: true), key.cipher(fromCentral: false))
        #expect(central.seal(ByteBuffer(hex: "06").readableBytesView, .control) == ByteBuffer(hex: "9F CDA7F448"))
        #expect(peripheral.seal(ByteBuffer(hex: "06").readableBytesView, .control) == ByteBuffer(hex: "A3 4C13A415"))
        let data = [
            (
                ByteBuffer(hex: "1700 636465666768696A6B6C6D6E6F707131323334353637383930"),
                ByteBuffer(hex: "7A70D66415226DF26B17839A060405596BD6564F796B5B9CE6FF32 F75A6D33")
            ),
            (
                ByteBuffer(hex: "1700 373635343332313041424344454647 48494A4B4C4D4E4F5051"),
                ByteBuffer(hex: "F38881E7BD94C9C369B9A66846DD4786AA8C39CE540D0DAE3ADCDF 89B96088")
            ),
        ]
        #expect(central.seal(data[0].0.readableBytesView, .start) == data[0].1)
        #expect(peripheral.seal(data[1].0.readableBytesView, .start) == data[1].1)
        // The other end opens each of them once, in order.
        var receiver = key.cipher(fromCentral: true)
        #expect(receiver.open(ByteBuffer(hex: "9F CDA7F448"), .control) == ByteBuffer(hex: "06"))
        #expect(receiver.open(data[0].1, .start) == data[0].0)
        #expect(receiver.open(data[0].1, .start) == nil)
    }

    @Test("a packet that was changed, replaced or repeated on the way is not opened")
    func integrity() {
        let payload = ByteBuffer(bytes: 0..<27)
        let key = SessionKey(
            longTermKey: Self.key,
            central: SessionPart(diversifier: 1, vector: 2),
            peripheral: SessionPart(diversifier: 3, vector: 4)
        )
        var sender = key.cipher(fromCentral: true)
        let sealed = sender.seal(payload.readableBytesView, .start)
        func opens(_ octets: ByteBuffer, _ header: PacketCipher.Header = .start, fromCentral: Bool = true) -> Bool {
            var receiver = key.cipher(fromCentral: fromCentral)
            return receiver.open(octets, header) != nil
        }
        #expect(opens(sealed))
        #expect(!opens(sealed, .continuation) && !opens(sealed, .start, fromCentral: false))
        for place in 0..<sealed.readableBytes {
            var changed = sealed
            changed.setInteger((changed.getInteger(at: place) ?? UInt8(0)) ^ 0x10, at: place)
            #expect(!opens(changed), "octet \(place)")
            #expect(!opens(ByteBuffer(bytes: Array(sealed.readableBytesView.prefix(place)))), "cut to \(place)")
        }
        #expect(!opens(sender.seal(payload.readableBytesView, .start)))
    }

    @Test("opens packets of all lengths and kinds at the other end, in their order")
    func lengths() {
        var generator = SeededGenerator(seed: 9)
        let key = SessionKey(
            longTermKey: Self.key,
            central: SessionPart(using: &generator),
            peripheral: SessionPart(using: &generator)
        )
        for isFromCentral in [true, false] {
            var sender = key.cipher(fromCentral: isFromCentral)
            var receiver = key.cipher(fromCentral: isFromCentral)
            let headers: [PacketCipher.Header] = [.start, .continuation, .control]
            for count in 0..<300 {
                let payload = ByteBuffer(
                    bytes: (0..<count % 256).map { _ in UInt8.random(in: 0...255, using: &generator) }
                )
                let sealed = sender.seal(payload.readableBytesView, headers[count % 3])
                #expect(sealed.readableBytes == payload.readableBytes + 4)
                let opened = receiver.open(sealed, headers[count % 3])
                #expect(opened == payload)
                #expect(opened?.readerIndex == ACLDataHeader.octetCountWithType)
            }
            for count in 0..<4 { #expect(receiver.open(ByteBuffer(repeating: 0, count: count), .control) == nil) }
        }
    }
}
