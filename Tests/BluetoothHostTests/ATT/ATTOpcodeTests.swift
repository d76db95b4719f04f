import Testing

@testable import BluetoothHost

@Suite("ATT opcodes")
struct ATTOpcodeTests {
    @Test("has the command flag in bit 6, and its octet as its description")
    func commandFlag() {
        #expect(!ATTOpcode.writeRequest.isCommand)
        #expect(ATTOpcode.writeCommand.isCommand)
        #expect(ATTOpcode.signedWriteCommand.isCommand)
        for (raw, text) in [(0x0A, "0x0a"), (0x0F, "0x0f"), (0x10, "0x10"), (0xD2, "0xd2")] as [(UInt8, String)] {
            #expect(ATTOpcode(rawValue: raw).description == text)
        }
    }

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
