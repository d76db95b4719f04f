// The timing of a connection, in words.

import BluetoothHost
import BluetoothTypes
import CommandLineTool

/// A connection's timing.
enum LinkText {
    /// `interval 30 ms, latency 0, supervision timeout 720 ms`.
    static func line(_ timing: LinkTiming) -> String {
        "interval \(timing.interval), latency \(timing.latency), supervision timeout \(timing.supervisionTimeout)"
    }

    /// The keys of a JSON object, times in ms.
    static func details(_ timing: LinkTiming) -> [(key: String, value: JSONValue)] {
        [
            ("interval", .number(milliseconds(timing.interval))), ("latency", .integer(Int(timing.latency))),
            ("supervisionTimeout", .number(milliseconds(timing.supervisionTimeout))),
        ]
    }

    private static func milliseconds(_ time: some BluetoothTime) -> Double {
        Double(time.timeAmount.nanoseconds) / 1e6
    }
}
