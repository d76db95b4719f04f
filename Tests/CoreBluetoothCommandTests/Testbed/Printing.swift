// What an output prints, for tests of commands.

import CommandLineTool
import Fixtures
import Foundation
import Testing

/// The lines that `body` prints.
func linesPrinted(isJSON: Bool = false, _ body: (OutputFormat) throws -> Void) rethrows -> [String] {
    let printed = Watched<[String]>([])
    try body(OutputFormat(isJSON: isJSON, isVerbose: false) { line in printed.update { $0.append(line) } })
    return printed.value
}

/// A record without its time and its device, whose form is checked.
func recordContent(_ line: String) throws -> String {
    let time = #/"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",/#
    let device = #/"device":\{"name":"[^"]+","identifier":"[0-9A-F\-]{36}"\},?/#
    try #require(line.contains(time) && line.contains(device), "\(line)")
    return line.replacing(time, with: "").replacing(device, with: "").replacing(",}", with: "}")
}

/// The JSON object on a line.
func jsonObject(_ line: String?) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(try #require(line).utf8))
    return try #require(value as? [String: Any], "\(line ?? "")")
}
