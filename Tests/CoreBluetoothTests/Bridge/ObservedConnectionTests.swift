import Testing

@testable import CoreBluetooth

@Suite("A connection as its app sees it")
struct ObservedConnectionTests {
    /// The state after each step, or what the step returns besides.
    ///
    /// `ask` and `cancel` are the app's calls; `up`, `down` and `wait` the event loop's reports of the attempt that
    /// follows: a connection, an end, and an end after which it reconnects by itself.
    private func run(_ script: String) -> [String] {
        var connection = ObservedConnection()
        return script.split(separator: " ").map { step in
            let attempt = step.last?.wholeNumberValue.map(UInt32.init) ?? 0
            var answer: String
            switch step.filter({ !$0.isNumber }) {
            case "ask": answer = connection.connect().map { "\($0) " } ?? "- "
            case "cancel": answer = connection.cancel().map { "\($0) " } ?? "- "
            case "up": answer = connection.connected(attempt).map { "\($0) " } ?? "- "
            case "down": answer = connection.disconnected(attempt) ? "again " : ""
            case "wait": answer = connection.disconnected(attempt, isReconnecting: true) ? "again " : ""
            default:
                connection.invalidate()
                answer = ""
            }
            answer += "\(connection.state.rawValue)"
            #expect(connection.isConnected(connection.attempt) == (connection.state == .connected))
            return answer
        }
    }

    @Test(
        "follows the calls of the app and the reports of the present attempt",
        arguments: [
            ("ask ask up1 cancel cancel down1 cancel", "1 1|- 1|begins 2|1 3|- 3|0|- 0"),
            // D5: reports of an earlier attempt.
            ("ask up1 cancel ask up1 down1 up2 up1 down1", "1 1|begins 2|1 3|2 1|- 1|1|begins 2|- 2|2"),
            ("ask up1 ask up1 down1", "1 1|begins 2|1 2|goesOn 2|0"),
            // A3: asked for while the loss of the link is not known, and cancelled while waiting for the next one.
            ("ask up1 ask ask down1 up1 down1", "1 1|begins 2|1 2|1 2|again 1|begins 2|0"),
            ("ask up1 ask down1 cancel down1", "1 1|begins 2|1 2|again 1|1 3|0"),
            ("ask up1 wait1 up1", "1 1|begins 2|again 1|begins 2"),
            ("ask stop up1", "1 1|0|- 0"), ("ask up1 stop up1 down1", "1 1|begins 2|0|- 0|0"),
        ]
    )
    func scripts(script: String, outcome: String) {
        #expect(self.run(script).joined(separator: "|") == outcome)
    }

    @Test("continues a restored connection, or waits for it under a new attempt")
    func restored() {
        var connection = ObservedConnection()
        connection.restore(attempt: 7, isConnected: true)
        #expect(connection.isConnected(7))
        connection.restore(attempt: nil, isConnected: false)
        #expect(connection.attempt == 8 && connection.state == .connecting)
    }
}
