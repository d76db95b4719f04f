// The names that a trace shows, against those of the specification: a wrong one sends its reader to a wrong page.

import Testing

@testable import BluetoothHost

@Suite("The names of PDUs and errors")
struct PacketTextsTests {
    @Test(
        "each opcode has its name (Vol 3, Part F, 3.4.8)",
        arguments: [
            (0x01, "Error Response"), (0x02, "Exchange MTU Request"), (0x03, "Exchange MTU Response"),
            (0x04, "Find Information Request"), (0x05, "Find Information Response"),
            (0x06, "Find By Type Value Request"), (0x07, "Find By Type Value Response"),
            (0x08, "Read By Type Request"), (0x09, "Read By Type Response"), (0x0A, "Read Request"),
            (0x0B, "Read Response"), (0x0C, "Read Blob Request"), (0x0D, "Read Blob Response"),
            (0x0E, "Read Multiple Request"), (0x0F, "Read Multiple Response"), (0x10, "Read By Group Type Request"),
            (0x11, "Read By Group Type Response"), (0x12, "Write Request"), (0x13, "Write Response"),
            (0x16, "Prepare Write Request"), (0x17, "Prepare Write Response"), (0x18, "Execute Write Request"),
            (0x19, "Execute Write Response"), (0x1B, "Notification"), (0x1D, "Indication"), (0x1E, "Confirmation"),
            (0x20, "Read Multiple Variable Request"), (0x21, "Read Multiple Variable Response"),
            (0x23, "Multiple Notification"), (0x52, "Write Command"), (0xD2, "Signed Write Command"),
        ] as [(UInt8, String)]
    )
    func opcodes(octet: UInt8, name: String) {
        #expect(ATTOpcode(rawValue: octet).words == name)
    }

    @Test(
        "each error has its name (Vol 3, Part F, 3.4.1.1; CSS, Part B, 1.2)",
        arguments: [
            (0x01, "Invalid Handle"), (0x02, "Read Not Permitted"), (0x03, "Write Not Permitted"),
            (0x04, "Invalid PDU"), (0x05, "Insufficient Authentication"), (0x06, "Request Not Supported"),
            (0x07, "Invalid Offset"), (0x08, "Insufficient Authorization"), (0x09, "Prepare Queue Full"),
            (0x0A, "Attribute Not Found"), (0x0B, "Attribute Not Long"), (0x0C, "Encryption Key Size Too Short"),
            (0x0D, "Invalid Attribute Value Length"), (0x0E, "Unlikely Error"), (0x0F, "Insufficient Encryption"),
            (0x10, "Unsupported Group Type"), (0x11, "Insufficient Resources"), (0x12, "Database Out Of Sync"),
            (0x13, "Value Not Allowed"), (0xFC, "Write Request Rejected"),
            (0xFD, "Client Characteristic Configuration Improperly Configured"),
            (0xFE, "Procedure Already In Progress"), (0xFF, "Out Of Range"),
        ] as [(UInt8, String)]
    )
    func errors(octet: UInt8, name: String) {
        let code = String(octet, radix: 16, uppercase: true)
        #expect(ATTErrorCode(rawValue: octet).words == "\(name) (0x\(octet < 16 ? "0" : "")\(code))")
    }
}
