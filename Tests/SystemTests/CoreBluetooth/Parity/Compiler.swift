// The compiler, as a witness of the module that was built beside this test: it extracts the module's symbol graph and
// judges whether lines of code compile. It is called by itself, not through the package manager, which holds a lock
// while tests run.

import Fixtures
import Foundation

/// The compiler that built this test.
enum Compiler {
    /// Why the compiler cannot be asked.
    struct Failure: Error, CustomStringConvertible {
        /// The cause.
        var description: String
    }

    /// The folder of the build: that of this test's program.
    private static let buildFolder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()

    /// The folder of the tools: that of the package manager which runs this test, else one of `PATH`.
    private static let toolFolder: URL? = {
        let parent = URL(fileURLWithPath: "/proc/\(getppid())/exe").resolvingSymlinksInPath()
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders =
            [parent.deletingLastPathComponent()] + path.split(separator: ":").map { URL(fileURLWithPath: String($0)) }
        return folders.first { FileManager.default.isExecutableFile(atPath: $0.appendingPathComponent("swiftc").path) }
    }()

    /// What the compiler needs to know to import the package's modules.
    private static func importArguments() throws -> [String] {
        let modules = self.buildFolder.appendingPathComponent("Modules")
        guard FileManager.default.fileExists(atPath: modules.appendingPathComponent("CoreBluetooth.swiftmodule").path)
        else { throw Failure(description: "no CoreBluetooth.swiftmodule in \(modules.path); run this with swift test") }
        var arguments = ["-I", modules.path]
        arguments += ["-module-cache-path", self.buildFolder.appendingPathComponent("ModuleCache").path]
        // Modules of C targets: maps that the package manager made stand beside the objects, others in the sources.
        for folder in Self.contents(of: self.buildFolder) where folder.pathExtension == "build" {
            let map = folder.appendingPathComponent("module.modulemap").path
            guard FileManager.default.fileExists(atPath: map) else { continue }
            arguments += ["-Xcc", "-fmodule-map-file=\(map)"]
        }
        let checkouts = self.buildFolder.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("checkouts")
        for package in Self.contents(of: checkouts) {
            for target in Self.contents(of: package.appendingPathComponent("Sources")) {
                let include = target.appendingPathComponent("include")
                let map = include.appendingPathComponent("module.modulemap").path
                if FileManager.default.fileExists(atPath: map) { arguments += ["-I", include.path] }
            }
        }
        return arguments
    }

    private static func contents(of folder: URL) -> [URL] {
        let contents = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (contents ?? []).sorted { $0.path < $1.path }
    }

    /// Runs a tool of the compiler: its exit status, and what it wrote.
    private static func run(_ tool: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
        guard let toolFolder else { throw Failure(description: "no swiftc in PATH; put the toolchain there") }
        return try Fixtures.run([toolFolder.appendingPathComponent(tool).path] + arguments)
    }

    /// The symbol graph of a module, as the compiler writes it.
    static func symbolGraph(of module: String) throws -> Data {
        #if arch(x86_64)
        let target = "x86_64-unknown-linux-gnu"
        #else
        let target = "aarch64-unknown-linux-gnu"
        #endif
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let run = try self.run(
            "swift-symbolgraph-extract",
            ["-module-name", module, "-target", target, "-output-dir", folder.path]
                + ["-minimum-access-level", "public", "-skip-inherited-docs"] + self.importArguments()
        )
        guard run.status == 0 else { throw Failure(description: run.output) }
        return try Data(contentsOf: URL(fileURLWithPath: folder("\(module).symbols.json")))
    }

    /// The errors that the compiler finds in a program: what they say, by line, counted from 1.
    static func errors(in program: String, arguments: [String] = []) throws -> [Int: [String]] {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = URL(fileURLWithPath: folder("program.swift"))
        try Data(program.utf8).write(to: file)
        let run = try self.run(
            "swiftc",
            ["-typecheck", "-swift-version", "6", "-diagnostic-style=llvm", file.path] + arguments
                + self.importArguments()
        )
        var errors: [Int: [String]] = [:]
        for text in run.output.split(separator: "\n") {
            let parts = text.split(separator: ":", maxSplits: 4, omittingEmptySubsequences: false)
            guard parts.count == 5, parts[0].hasSuffix("program.swift"), parts[3] == " error",
                let line = Int(parts[1])
            else { continue }
            errors[line, default: []].append(parts[4].trimmingCharacters(in: .whitespaces))
        }
        guard run.status == 0 || !errors.isEmpty else { throw Failure(description: run.output) }
        return errors
    }

    /// What the compiler says of files that are one module, in a language mode; empty where it takes them.
    static func complaints(about files: [URL], languageMode: String) throws -> String {
        let run = try self.run(
            "swiftc",
            ["-typecheck", "-swift-version", languageMode, "-diagnostic-style=llvm", "-module-name", "Listings"]
                + files.map(\.path) + self.importArguments()
        )
        return run.status == 0 && !run.output.contains(": warning:") ? "" : run.output
    }
}
