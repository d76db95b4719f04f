// What the options of commands become: the plan of a benchmark and of an air, with what holds where no option is given.

import BluetoothAir
import BluetoothTypes
import Fixtures
import Testing

@testable import BluetoothTransport
@testable import CoreBluetoothCommand

@Suite("The plans of options")
struct PlansOfOptionsTests {
    @Test("A benchmark reads 200 times and sends 256 KiB in both directions, where nothing else is asked for")
    func benchmark() throws {
        let cases: [(arguments: [String], words: String)] = [
            ([], "200 262144 true true false true"), (["--reads", "1"], "1 262144 true true false true"),
            (["--size", "1"], "200 1024 true true false true"),
            (["--size", "1048576"], "200 1073741824 true true false true"),
            (["--direction", "to"], "200 262144 true false false true"),
            (["--direction", "from"], "200 262144 false true false true"),
            (["--direction", "both"], "200 262144 true true false true"),
            (["--phy", "coded"], "200 262144 true true true true"),
            (["--latency", "0"], "200 262144 true true false false"),
        ]
        for (arguments, words) in cases {
            let plan = try BenchmarkCommand.parse(["Peer"] + arguments).plan
            let found =
                "\(plan.reads) \(plan.octets) \(plan.isToDevice) \(plan.isFromDevice) \(plan.phys != nil) "
                + "\(plan.wanted.isEmpty)"
            #expect(found == words, "\(arguments)")
        }
        for name in PHYName.allCases {
            let plan = try BenchmarkCommand.parse(["Peer", "--phy", name.rawValue.uppercased()]).plan
            #expect(plan.phys == name.phys)
        }
        #expect(PHYName.le1M.phys == .le1M && PHYName.le2M.phys == .le2M && PHYName.leCoded.phys == .leCoded)
    }

    @Test("An air is instant and loses nothing, with the seed 1 and 256 hosts, where nothing else is asked for")
    func air() throws {
        let plain = AirService.Plan(addresses: [], settings: .instant, seed: 1, captureFile: nil, hostLimit: 256)
        func check(_ arguments: [String], _ words: String, _ change: (inout AirService.Plan) -> Void) throws {
            var expected = plain
            change(&expected)
            let command = try AirCommand.parse(arguments)
            let plan = try command.plan()
            #expect(plan.addresses == expected.addresses, "\(arguments)")
            #expect(plan.settings == expected.settings, "\(arguments)")
            #expect(plan.seed == expected.seed && plan.hostLimit == expected.hostLimit, "\(arguments)")
            #expect(plan.captureFile == expected.captureFile, "\(arguments)")
            #expect(command.words == words, "\(arguments)")
        }
        try check([], "instant, seed 1") { _ in }
        try check(["--model", "instant"], "instant, seed 1") { _ in }
        try check(["--model", "realistic"], "realistic, seed 1") { $0.settings = .realistic }
        try check(["--loss", "1", "--seed", "7"], "instant, seed 7, loss 1") { plan in
            plan.settings.loss = 1
            plan.seed = 7
        }
        try check(["--loss", "0"], "instant, seed 1") { _ in }
        try check(["--hosts", "3"], "instant, seed 1") { $0.hostLimit = 3 }
        try check(["--capture", "a.btsnoop"], "instant, seed 1") { $0.captureFile = "a.btsnoop" }
        try check(["--listen", "unix:/run/a", "--listen", "tcp:127.0.0.1:0"], "instant, seed 1") { plan in
            plan.addresses = [.unix(path: "/run/a"), .tcp(host: "127.0.0.1", port: 0)]
        }
        // A share is counted as it was given.
        #expect(try AirCommand.parse(["--loss", "0.25"]).plan().settings.loss == 0.25)
    }

    @Test("A bridge needs a place to listen, and an adapter that there is")
    func bridge() throws {
        for arguments in [
            [], ["--listen", "nowhere"], ["--listen", "unix:/run/a", "--adapter", "nonsense"], ["--adapter", "air"],
        ] as [[String]] {
            #expect(throws: (any Error).self, "\(arguments)") { _ = try BridgeCommand.parse(arguments) }
        }
        #expect(throws: Never.self) { _ = try BridgeCommand.parse(["--listen", "unix:/run/a", "--adapter", "hci3"]) }
    }
}
