import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CommandLineTool

@Suite("The effects of options that programs share")
struct OptionEffectsTests {
    @Test("A capture file is made where there is none, kept as it is where there is one, and closed")
    func captureFile() async throws {
        let folder = try TemporaryFolder()
        let (new, old, pipe) = (folder("new"), folder("old"), folder("pipe"))
        try Data("content".utf8).write(to: URL(fileURLWithPath: old))
        #expect(mkfifo(pipe, 0o600) == 0)
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [new = new as String, old = old as String, pipe = pipe as String] in
            umask(0)
            for path in [new, old] { try RadioOptions.checkCapture(path) }
            // A reader of a pipe sees its end when nobody has it open for writing any more.
            let reader = open(pipe, O_RDONLY | O_NONBLOCK)
            var octet: UInt8 = 0
            let writer = open(pipe, O_WRONLY)
            let isOpen = read(reader, &octet, 1) < 0
            close(writer)
            try RadioOptions.checkCapture(pipe)
            Console.print("\(isOpen) \(read(reader, &octet, 1))")
            exit(0)
        }
        #expect(try #require(result).lines == ["true 0"])
        let attributes = try FileManager.default.attributesOfItem(atPath: new)
        #expect(attributes[.posixPermissions] as? Int == 0o644)
        #expect(try Data(contentsOf: URL(fileURLWithPath: new)).isEmpty)
        #expect(try String(contentsOfFile: old, encoding: .utf8) == "content")
    }

    @Test(
        "A trace is of the identity that is given, else of that of the environment, else of the program",
        arguments: [("bob", "carol"), ("bob", ""), ("", "carol"), ("", "")]
    )
    func tracedDevice(option: String, variable: String) async throws {
        let folder = try TemporaryFolder()
        let path: String = folder("trace.jsonl")
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [option = option as String, variable = variable as String, path = path as String] in
            unsetenv("COREBLUETOOTH_IDENTITY")
            if !variable.isEmpty { setenv("COREBLUETOOTH_IDENTITY", variable, 1) }
            let identity = option.isEmpty ? [] : ["--identity", option]
            let radio = try RadioOptions.parse(["--trace-file", path] + identity)
            // The screen is no obstacle to a file.
            try radio.apply(hasScreen: true)
            let device = Timeline.current?.device ?? "none"
            Console.print(device == Ending.program ? "the program" : device)
            // Without what is registered for the end.
            fflush(nil)
            _exit(0)
        }
        let expected = !option.isEmpty ? option : !variable.isEmpty ? variable : "the program"
        #expect(try #require(result).lines == [expected])
        withExtendedLifetime(folder) {}
    }

    @Test("Lines of a trace have no room on a screen", arguments: [true, false])
    func screen(hasScreen: Bool) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [hasScreen] in
            let radio = try RadioOptions.parse(["--trace"])
            do {
                try radio.apply(hasScreen: hasScreen)
                Console.print("traced \(Timeline.current != nil)")
            } catch let failure as Failure {
                Console.print(failure.line)
            }
            fflush(nil)
            _exit(0)
        }
        let line = "the screen has no room for a trace; write --trace FILE.svg, or add --plain"
        #expect(try #require(result).lines == [hasScreen ? line : "traced true"])
    }
}
