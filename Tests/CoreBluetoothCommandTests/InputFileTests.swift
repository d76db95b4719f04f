import CommandLineTool
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("A file that a command reads")
struct InputFileTests {
    @Test("is read whole; a missing file and a folder are named with the reason")
    func files() throws {
        let folder = try TemporaryFolder()
        let path = folder("a.json")
        for count in [0, 1, 70_000] {
            let data = Data(repeating: 7, count: count)
            try data.write(to: URL(fileURLWithPath: path))
            #expect(try InputFile.read(path) == data)
        }
        let absent = #expect(throws: Failure.self) { _ = try InputFile.read("/nowhere/a.json") }
        #expect(absent?.line == "cannot read /nowhere/a.json: there is no such file")
        let isFolder = #expect(throws: Failure.self) { _ = try InputFile.read(folder.path) }
        #expect(isFolder?.line == "cannot read \(folder.path): it is a folder; name the file in it")
    }
}
