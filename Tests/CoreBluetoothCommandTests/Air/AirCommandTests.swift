import BluetoothAir
import BluetoothTransport
import Testing

@testable import CoreBluetoothCommand

@Suite("corebluetooth air")
struct AirCommandTests {
    @Test("serves an instant air that loses nothing, with seed 1 and 256 hosts, unless told otherwise")
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
        #expect(try AirCommand.parse(["--loss", "0.25"]).plan().settings.loss == 0.25)
    }
}
