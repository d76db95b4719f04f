// Valid connection parameters, each rule at its limit (Vol 4, Part E, 7.8.18; Vol 6, Part B, 4.5.2).

import BluetoothTypes
import Testing

@testable import BluetoothHCI

@Suite("Valid connection parameters")
struct ConnectionParametersValidityTests {
    private static func parameters(
        _ minimum: UInt16 = 24,
        _ maximum: UInt16 = 40,
        latency: UInt16 = 0,
        timeout: UInt16 = 100,
        lengths: (UInt16, UInt16) = (0, 0)
    ) -> ConnectionParameters {
        ConnectionParameters(
            minimumInterval: ConnectionInterval(rawValue: minimum),
            maximumInterval: ConnectionInterval(rawValue: maximum),
            latency: latency,
            supervisionTimeout: SupervisionTimeout(rawValue: timeout),
            minimumEventLength: ConnectionEventLength(rawValue: lengths.0),
            maximumEventLength: ConnectionEventLength(rawValue: lengths.1)
        )
    }

    @Test("the minimum of a pair is at most its maximum")
    func pairs() {
        #expect(Self.parameters(40, 40).isValid && !Self.parameters(41, 40).isValid)
        #expect(Self.parameters(lengths: (7, 8)).isValid && Self.parameters(lengths: (8, 8)).isValid)
        #expect(!Self.parameters(lengths: (9, 8)).isValid && !Self.parameters(lengths: (1, 0)).isValid)
    }

    @Test("intervals, latency and timeout are in range")
    func ranges() {
        #expect(Self.parameters(6, 6).isValid && !Self.parameters(5, 6).isValid)
        #expect(Self.parameters(6, 3200, timeout: 3200).isValid && !Self.parameters(6, 3201, timeout: 3200).isValid)
        #expect(Self.parameters(6, 6, timeout: 10).isValid && !Self.parameters(6, 6, timeout: 9).isValid)
        #expect(Self.parameters(timeout: 3200).isValid && !Self.parameters(timeout: 3201).isValid)
        #expect(Self.parameters(6, 6, latency: 499, timeout: 3200).isValid)
        #expect(!Self.parameters(6, 6, latency: 500, timeout: 3200).isValid)
    }

    @Test("the timeout is longer than twice the time between two events that the peripheral attends")
    func timeout() {
        // 80 · 1.25 ms are 100 ms, 20 · 10 ms are 200 ms.
        #expect(!Self.parameters(80, 80, timeout: 20).isValid && Self.parameters(80, 80, timeout: 21).isValid)
        #expect(!Self.parameters(80, 80, latency: 1, timeout: 40).isValid)
        #expect(Self.parameters(80, 80, latency: 1, timeout: 41).isValid)
    }
}
