// The place of a sweep's call in the tests, and how to start a process that runs only this test: the test program with
// a filter for the test's name.

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

    /// The argument of `swift test --filter` for the test.
    var filter: String { "^\(escaped(self.module))\\.(.*/)?`?\(escaped(self.name))`?(\\(|$)" }

    /// The test program and its arguments for this test; `nil` if this process is not a test program.
    ///
    /// `swift test` starts one program for both libraries: with `--testing-library swift-testing` it runs Swift
    /// Testing, otherwise XCTest, which takes names of tests.
    func command(of process: ProcessInfo) -> (program: String, arguments: [String])? {
        let arguments = process.arguments
        guard let program = Self.program else { return nil }
        if arguments.contains("--testing-library") {
            // A test is "Module.Suite/function()/File.swift:12:6"; a raw identifier is in backticks.
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

    /// XCTest's names of the tests that may be this one: the name of the class is unknown.
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

/// A regular expression that matches only a text.
private func escaped(_ text: some StringProtocol) -> String {
    NSRegularExpression.escapedPattern(for: String(text)).replacingOccurrences(of: "/", with: "\\/")
}
