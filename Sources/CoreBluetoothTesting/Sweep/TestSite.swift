// Where in the tests a sweep is called, and how a process is started that runs this test alone: it is the program of
// the tests again, with a filter for the test's name.

import Foundation

/// A call of `sweepSeeds`.
struct TestSite: Hashable, Sendable {
    /// The test's function, such as `readsTheTemperature()`.
    var function: String
    /// The module and the file, such as `MyTests/ReaderTests.swift`.
    var fileID: String
    var line: Int

    var description: String { "\(self.fileID):\(self.line) \(self.function)" }

    private var module: Substring { self.fileID.prefix { $0 != "/" } }
    private var file: Substring { self.fileID.split(separator: "/").last ?? "" }
    /// The function's name without its parameters.
    var name: Substring { self.function.prefix { $0 != "(" } }

    /// What `swift test --filter` takes for the test.
    var filter: String { "^\(escaped(self.module))\\.(.*/)?`?\(escaped(self.name))`?(\\(|$)" }

    /// The program that runs tests, and how it runs this one; `nil` in a program that is none.
    ///
    /// `swift test` starts one program for both libraries: with `--testing-library swift-testing` it is Swift
    /// Testing's, without it is XCTest's, which takes the names of tests.
    func command(of process: ProcessInfo) -> (program: String, arguments: [String])? {
        let arguments = process.arguments
        guard let program = Self.program else { return nil }
        if arguments.contains("--testing-library") {
            // A test is "Module.Suite/function()/File.swift:12:6"; a name that is a text is in backticks.
            let function = escaped(self.name) + "`?" + escaped(self.function.dropFirst(self.name.count))
            let identifier = "^\(escaped(self.module))\\.(.*/)?`?\(function)/\(escaped(self.file)):"
            return (program, ["--testing-library", "swift-testing", "--filter", identifier])
        }
        guard program.hasSuffix(".xctest") else { return nil }
        let tests = self.testCases(of: program)
        return tests.isEmpty ? nil : (program, [tests.joined(separator: ",")])
    }

    private static var program: String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    }

    /// XCTest's names of the tests that may be this one: the file's name says nothing of the class.
    private func testCases(of program: String) -> [String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["--list-tests"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return [] }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "\n").map(String.init).filter {
            $0.hasPrefix(self.module + ".") && $0.hasSuffix("/" + self.name)
        }
    }
}

/// A text as a regular expression that it alone matches.
private func escaped(_ text: some StringProtocol) -> String {
    NSRegularExpression.escapedPattern(for: String(text)).replacingOccurrences(of: "/", with: "\\/")
}
