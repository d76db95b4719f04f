// A value that a person types on the page of a device, and the session's line that writes it.

import CommandLineTool
import TerminalScreen

/// The value to write.
struct ValueEntry {
    /// The characteristic, as session commands take it.
    let target: String
    /// Its name for the person.
    let label: String
    private(set) var type = ValueType.hex
    private(set) var hasResponse: Bool
    private(set) var editor = LineEditor()
    /// Why the value is not of the type; `nil` until Enter.
    private(set) var problem: String?

    /// An empty value.
    init(_ characteristic: DevicePage.Characteristic, hasResponse: Bool) {
        target = characteristic.target
        label = characteristic.label
        self.hasResponse = hasResponse
    }

    /// Handles a key; returns the line that writes the value once it is finished.
    mutating func receive(_ key: Key) -> String? {
        problem = nil
        switch key {
        case .tab: type = Self.neighbour(of: type, 1)
        case .backTab: type = Self.neighbour(of: type, -1)
        case .control("r"): hasResponse.toggle()
        case .enter:
            do throws(Failure) { _ = try type.octets(of: editor.text) } catch {
                problem = error.line
                return nil
            }
            return line(editor.text)
        default: _ = editor.receive(key)
        }
        return nil
    }

    private static func neighbour(of type: ValueType, _ distance: Int) -> ValueType {
        let all = ValueType.allCases
        let place = all.firstIndex(of: type) ?? 0
        return all[(place + distance + all.count) % all.count]
    }

    private func line(_ text: String) -> String {
        let response = hasResponse ? "" : " --without-response"
        return "write \(target) --as \(type.rawValue)\(response) -- \(SessionLine.quoted(text))"
    }

    /// What is typed, or what is wrong with it.
    var prompt: String { problem ?? "Write \(label) as \(type.rawValue), \(hasResponse ? "with" : "without") response" }

    static let keys = ["Tab type", "Ctrl-R response", "Enter write", "Esc cancel"]
}
