import Testing

@testable import BluetoothHost

@Suite("ATT opcodes")
struct ATTOpcodeTests {
    @Test("is for the client in responses, notifications and indications, and for the server otherwise")
    func receiver() {
        let forClient: Set<UInt8> = [
            0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1D, 0x21, 0x23,
        ]
        for raw in UInt8.min...UInt8.max {
            #expect(ATTOpcode(rawValue: raw).isForServer == !forClient.contains(raw))
        }
    }
}
