// What readers copy is code of theirs, in a package of theirs: in the language mode that they have.

import Foundation
import Testing

@Suite("Listings for readers")
struct ListingsTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test(
        "compile without a warning in Swift 5 and in Swift 6 mode",
        arguments: ["Sources/Lessons/Code", "Examples/FirstProgram/Sources/FirstProgram"],
        ["5", "6"]
    )
    func compile(folder: String, mode: String) throws {
        let files = try FileManager.default.contentsOfDirectory(
            at: Self.root.appendingPathComponent(folder),
            includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == "swift" }
        #expect(!files.isEmpty)
        #expect(try Compiler.complaints(about: files.sorted { $0.path < $1.path }, languageMode: mode) == "")
    }
}
