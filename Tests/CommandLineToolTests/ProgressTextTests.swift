import Fixtures
import Testing

@testable import CommandLineTool

@Suite("A progress")
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

    @Test("has what is done, the rate and the time that is left, as far as they are known")
    func rows() {
        #expect(row(.items("services"), 2, 5) == "reading: 2 of 5 services, 0.5/s, 6 s left")
        #expect(row(.items("services"), 0, 5) == "reading: 0 of 5 services, 4 s")
        #expect(row(.items("services"), 2, nil) == "reading: 2 services, 0.5/s, 4 s")
        #expect(row(.octets, 0, nil) == "reading: 4 s")
        #expect(row(.octets, 4000, 8000) == "reading: 4000 of 8000 octets, 8.0 kbit/s, 4 s left")
        #expect(row(.octets, 5_120, 10_239) == "reading: 5120 of 10239 octets, 10 kbit/s, 4 s left")
        #expect(row(.octets, 5_120, 10_240) == "reading: 5 of 10 KiB, 10 kbit/s, 4 s left")
        #expect(row(.octets, 102_400, 204_800) == "reading: 100 of 200 KiB, 205 kbit/s, 4 s left")
        #expect(row(.octets, 300_000, 204_800) == "reading: 292 of 200 KiB, 600 kbit/s, 0 s left")
        #expect(row(.seconds, 0, 10, after: 4.9) == "reading: 4 s, 6 s left")
        #expect(row(.seconds, 0, 10, after: 12) == "reading: 12 s, 0 s left")
    }

    @Test("counts what is done if the total is unknown, in KiB from 10 of them on")
    func unknownTotal() {
        #expect(row(.items("services"), 0, nil) == "reading: 4 s")
        #expect(row(.items("services"), 1, nil) == "reading: 1 services, 0.2/s, 4 s")
        #expect(row(.octets, 1, nil) == "reading: 1 octets, 0.0 kbit/s, 4 s")
        #expect(row(.octets, 10_239, nil) == "reading: 10239 octets, 20 kbit/s, 4 s")
        #expect(row(.octets, 10_240, nil) == "reading: 10 KiB, 20 kbit/s, 4 s")
        #expect(row(.seconds, 3, nil) == "reading: 4 s")
    }

    @Test("has one decimal place in a rate below 10, and rounds the time that is left up")
    func rounding() {
        #expect(row(.items("services"), 39, 40) == "reading: 39 of 40 services, 9.8/s, 1 s left")
        #expect(row(.items("services"), 40, 40) == "reading: 40 of 40 services, 10/s, 0 s left")
        #expect(row(.octets, 5000, 8000) == "reading: 5000 of 8000 octets, 10 kbit/s, 3 s left")
        #expect(row(.items("services"), 3, 10, after: 0.5) == "reading: 3 of 10 services, 6.0/s, 2 s left")
        // In no time there is no rate.
        #expect(row(.items("services"), 3, 10, after: 0) == "reading: 3 of 10 services, 0 s")
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
