// Characteristics of the GAP service with one octet (Vol 3, Part C, 12).

import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Reading an octet of the GAP service")
struct ReadGAPOctetTests {
    @Test(
        "reads by type, accepts a value of one octet, and fails if the database is out of sync",
        arguments: [
            ("09 03 10 00 01", .success(1)), ("09 03 10 00 00", .success(0)), ("09 03 10 00 02", .success(2)),
            ("09 02 10 00", .success(nil)), ("09 04 10 00 01 00", .success(nil)), ("01 08 01 00 0A", .success(nil)),
            ("01 08 01 00 02", .success(nil)), ("01 08 01 00 12", .failure(.att(.databaseOutOfSync, handle: 1))),
        ] as [(String, Result<UInt8?, GATTError>)]
    )
    func read(answer: String, expected: Result<UInt8?, GATTError>) {
        var result: Result<UInt8?, GATTError>?
        let operation = GATTProcedureOperation(ReadGAPOctet(0x2AA6)) { result = $0 }
        var script = ClientScript()
        script.perform(operation)
        script.play("> 08 01 00 FF FF A6 2A \n < \(answer)")
        #expect(result == expected)
    }
}
