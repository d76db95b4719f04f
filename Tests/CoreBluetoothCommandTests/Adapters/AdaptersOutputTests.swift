// The whole output of `corebluetooth adapters` for folders that look like the kernel's: for no adapter, one and
// several, for this program and for another one, and the files for good.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("The output of corebluetooth adapters")
struct AdaptersOutputTests {
    /// What the machine looks like.
    struct Machine: Codable, Sendable {
        var adapters = 1
        /// The permitted capabilities of this program, as the kernel writes them.
        var capabilities = "0000000000000000"
        /// `LD_LIBRARY_PATH`.
        var libraries = ""
    }

    private static func write(_ folder: String, _ file: String, _ text: String) throws {
        let url = URL(fileURLWithPath: folder + "/" + file)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private static func run(_ folder: String, _ machine: Machine, _ arguments: [String]) throws {
        setenv("XDG_RUNTIME_DIR", folder, 1)
        setenv("LD_LIBRARY_PATH", machine.libraries, 1)
        for number in 0..<machine.adapters {
            try write(folder, "class/bluetooth/hci\(number)/address", "b8:27:eb:01:02:0\(number)\n")
        }
        try write(folder, "proc/self/status", "Name:\tx\nCapPrm:\t\(machine.capabilities)\n")
        try write(folder, "proc/self/maps", "7f01-7f02 r-xp 00000000 fe:00 13   /opt/swift/lib/libswiftCore.so\n")
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/proc/self/exe",
            withDestinationPath: "/opt/own/corebluetooth"
        )
        let folders = ["--system-folder", folder + "/class", "--process-folder", folder + "/proc"]
        try AdaptersCommand.parse(folders + arguments).run()
    }

    private func lines(_ machine: Machine, _ arguments: String...) async throws -> [String] {
        let folder = try TemporaryFolder()
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [path = folder.path as String, machine = machine as Machine, arguments = arguments as [String]] in
            try AdaptersOutputTests.run(path, machine, arguments)
            exit(0)
        }
        let lines = try #require(result).lines
        withExtendedLifetime(folder) {}
        return lines
    }

    private static let air = "air     your own air: nobody serves it now; the first program that needs it does"
    private static let none = [
        "no Linux adapter: plug one in, or run sudo modprobe bluetooth;",
        "    a container needs the network of its host (--net=host) to see one",
    ]
    private static let permitted = "0000000000001000"

    private static func adapter(_ number: Int) -> String {
        "hci\(number)    B8:27:EB:01:02:0\(number)  unknown  virtual"
    }

    private static func refused(_ number: Int, _ program: String) -> [String] {
        [
            adapter(number), "    no permission for hci\(number); to change that, run",
            "        sudo setcap cap_net_admin,cap_net_raw+eip \(program)",
        ]
    }

    private static func ready(_ number: Int) -> [String] { [adapter(number), "    ready: --adapter hci\(number)"] }

    @Test("Each adapter has its lines, and the air one, whether there are none, one or several")
    func counts() async throws {
        #expect(try await lines(Machine(adapters: 0)) == Self.none + [Self.air])
        let permitted = Self.permitted
        #expect(try await lines(Machine(capabilities: permitted)) == Self.ready(0) + [Self.air])
        let several = try await lines(Machine(adapters: 3, capabilities: permitted))
        #expect(several == Self.ready(0) + Self.ready(1) + Self.ready(2) + [Self.air])
    }

    @Test("This program has the capability or lacks it; of another one only its file would say it")
    func permissions() async throws {
        let (own, other) = ("/opt/own/corebluetooth", "/opt/ball")
        #expect(try await lines(Machine()) == Self.refused(0, own) + [Self.air])
        let permitted = Machine(capabilities: Self.permitted)
        #expect(try await lines(permitted) == Self.ready(0) + [Self.air])
        #expect(try await lines(permitted, "--program", other) == Self.refused(0, other) + [Self.air])
        let relative = try await lines(permitted, "--program", "ball")
        let command = try #require(relative.dropFirst(2).first)
        // It stands in the folder in which the command is run.
        #expect(command.contains("/ball") && !command.contains(" ball"), "\(command)")
    }

    @Test("Libraries that this program has found through the environment are named, and not those of another one")
    func libraries() async throws {
        let libraries = [
            "    then it looks no longer for libraries in LD_LIBRARY_PATH, where it has found some: build it with",
            "        swift build --static-swift-stdlib",
        ]
        let machine = Machine(libraries: "/usr/lib:/opt/swift/lib")
        let own = Self.refused(0, "/opt/own/corebluetooth")
        #expect(try await lines(machine) == own + libraries + [Self.air])
        #expect(try await lines(Machine(libraries: "/usr/lib")) == own + [Self.air])
        #expect(try await lines(machine, "--program", "/opt/ball") == Self.refused(0, "/opt/ball") + [Self.air])
    }

    @Test("In JSON each adapter is an object, and the air the last one", arguments: 0...2)
    func objects(count: Int) async throws {
        let lines = try await lines(Machine(adapters: count, capabilities: Self.permitted), "--json")
        let objects = try lines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(objects.compactMap { $0["adapter"] as? String } == (0..<count).map { "hci\($0)" } + ["air"])
        #expect(objects.dropLast().allSatisfy { $0["ready"] as? Bool == true })
        #expect(objects.last?["served"] as? Bool == false)
        #expect((objects.last?["socket"] as? String)?.hasSuffix("/air") == true)
    }

    @Test("The files for good stand below the report, or that of the packages alone")
    func files() async throws {
        let machine = Machine(capabilities: Self.permitted)
        let report = Self.refused(0, "/opt/ball") + [Self.air, "", "# /etc/systemd/system/ball.service", "[Unit]"]
        let both = try await lines(machine, "--program", "/opt/ball", "--setup")
        #expect(Array(both.prefix(report.count)) == report)
        #expect(both.contains("# /etc/udev/rules.d/70-ball.rules"))
        #expect(!both.contains { $0.hasPrefix("EnvironmentFile=") })
        let packaged = try await lines(machine, "--packaged-unit", "--json", "--setup")
        #expect(packaged.first == "# /etc/systemd/system/corebluetooth.service")
        #expect(packaged.contains("ExecStart=\"/opt/own/corebluetooth\" $ARGUMENTS"))
        #expect(!packaged.contains { $0.hasPrefix("{") || $0.contains("udev") || $0.hasPrefix("air ") })
    }
}
