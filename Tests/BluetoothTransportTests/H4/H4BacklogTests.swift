import Testing

@testable import BluetoothTransport

@Suite("Unsent octets of all hosts of a server")
struct H4BacklogTests {
    @Test("stay below the limit however many hosts do not read, and hosts with few of them stay connected")
    func bound() {
        final class Host {}
        let backlog = H4Backlog(limit: 1_000)
        let hosts = (0..<200).map { _ in Host() }
        var counts = [Int](repeating: 0, count: hosts.count)
        var isThere = [Bool](repeating: true, count: hosts.count)
        backlog.remove(ObjectIdentifier(hosts[0]))
        // One host reads slowly: it never has more than 2 unsent octets.
        counts[0] = 2
        for _ in 0..<1_000 {
            for index in hosts.indices where isThere[index] {
                if index > 0 { counts[index] += 1 }
                guard backlog.isOverShare(ObjectIdentifier(hosts[index]), counts[index]) else { continue }
                backlog.remove(ObjectIdentifier(hosts[index]))
                (isThere[index], counts[index]) = (false, 0)
            }
            #expect(counts.reduce(0, +) <= 1_000 + hosts.count)
        }
        #expect(isThere[0])
    }
}
