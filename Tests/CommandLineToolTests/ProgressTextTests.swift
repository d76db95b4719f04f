import Fixtures
import Testing

@testable import CommandLineTool

@Suite("Progress")
struct ProgressTextTests {
    private func row(
        _ unit: ProgressText.Unit,
        _ done: Int,
        _ total: Int?,
        after seconds: Double = 4,
        columns: Int = 80
    ) -> String {
        var text = ProgressText("reading", unit, total: total)
        text.done = done
        return text.row(after: seconds, columns: columns)
    }

    @Test("has the count, the rate and the remaining time, as far as they are known")
    func rows() {
        let services = ProgressText.Unit.items("services")
        let rows: [(ProgressText.Unit, Int, Int?, Double, String)] = [
            (services, 2, 5, 4, "2 of 5 services, 0.5/s, 6 s left"), (services, 0, 5, 4, "0 of 5 services, 4 s"),
            (services, 2, nil, 4, "2 services, 0.5/s, 4 s"), (services, 0, nil, 4, "4 s"),
            (services, 1, nil, 4, "1 services, 0.2/s, 4 s"), (.octets, 0, nil, 4, "4 s"),
            (.octets, 4000, 8000, 4, "4000 of 8000 octets, 8.0 kbit/s, 4 s left"),
            (.octets, 5_120, 10_239, 4, "5120 of 10239 octets, 10 kbit/s, 4 s left"),
            (.octets, 5_120, 10_240, 4, "5 of 10 KiB, 10 kbit/s, 4 s left"),
            (.octets, 300_000, 204_800, 4, "292 of 200 KiB, 600 kbit/s, 0 s left"),
            (.octets, 10_239, nil, 4, "10239 octets, 20 kbit/s, 4 s"),
            (.octets, 10_240, nil, 4, "10 KiB, 20 kbit/s, 4 s"), (.seconds, 0, 10, 4.9, "4 s, 6 s left"),
            (.seconds, 0, 10, 12, "12 s, 0 s left"), (.seconds, 3, nil, 4, "4 s"),
            // A rate below 10 has one decimal place, and the remaining time is rounded up.
            (services, 39, 40, 4, "39 of 40 services, 9.8/s, 1 s left"),
            (services, 40, 40, 4, "40 of 40 services, 10/s, 0 s left"),
            (services, 3, 10, 0.5, "3 of 10 services, 6.0/s, 2 s left"),
            // Without elapsed time there is no rate.
            (services, 3, 10, 0, "3 of 10 services, 0 s"),
        ]
        for (unit, done, total, seconds, words) in rows {
            #expect(row(unit, done, total, after: seconds) == "reading: " + words)
        }
    }

    @Test("fits the terminal, and leaves the last column free", arguments: [1, 10, 20])
    func columns(columns: Int) {
        #expect(row(.items("services"), 2, 5, columns: columns).count == max(1, columns - 1))
    }

    @Test("drops the rate in a narrow terminal")
    func narrow() {
        #expect(row(.items("services"), 2, 5, columns: 40) == "reading: 2 of 5 services, 6 s left")
        // The whole row has 41 columns.
        #expect(row(.items("services"), 2, 5, columns: 41) == "reading: 2 of 5 services, 6 s left")
        #expect(row(.items("services"), 2, 5, columns: 42) == "reading: 2 of 5 services, 0.5/s, 6 s left")
    }
}
