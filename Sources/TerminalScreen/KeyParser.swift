// Parses a terminal's input into keys. The octets arrive in pieces of any size; a possible beginning of a sequence is
// kept until more arrives, or until the owner reports that nothing has arrived for a while (a lone Escape).

/// A key, or pasted text.
package enum Key: Hashable, Sendable {
    /// A printable character.
    case character(Character)
    /// A letter with Control, in lower case.
    case control(Character)
    /// A letter with Alt.
    case alt(Character)
    /// Text that was pasted or that an input method produced.
    case text(String)
    /// Enter.
    case enter
    /// Tab.
    case tab
    /// Tab with Shift.
    case backTab
    /// Backspace: deletes before the cursor.
    case backspace
    /// Delete: deletes after the cursor.
    case delete
    /// Escape.
    case escape
    /// An arrow key.
    case up, down, left, right
    /// An arrow key with Control or Alt, which moves by words.
    case wordLeft, wordRight
    /// Home, End, Page Up, Page Down.
    case home, end, pageUp, pageDown
}

/// Parses a terminal's octets into keys.
package struct KeyParser: Sendable {
    private enum State: Sendable {
        /// Text.
        case text
        /// Escape was pressed, or a sequence begins.
        case escape
        /// After `ESC [`: parameters and intermediate octets (ECMA-48, 5.4).
        case sequence([UInt8])
        /// After `ESC O`: one octet (SS3).
        case singleShift
        /// After `ESC [ 200 ~`: pasted text until `ESC [ 201 ~`.
        case paste([UInt8])
    }

    /// The longest control sequence that is parsed, in octets.
    private static let sequenceLimit = 32
    /// The longest pasted text, in octets; the rest is dropped.
    private static let pasteLimit = 4096
    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    private var state = State.text
    /// The octets of an incomplete scalar.
    private var scalar: [UInt8] = []

    /// Creates a parser.
    package init() {}

    /// Whether a lone Escape, or an incomplete sequence or scalar, waits for more.
    package var isPending: Bool {
        if case .escape = self.state { return true }
        return false
    }

    /// Parses octets; returns the keys.
    package mutating func receive(_ octets: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for octet in octets { self.receive(octet, &keys) }
        return keys
    }

    /// Reports that nothing has arrived for a while: Escape was pressed alone.
    package mutating func flush() -> [Key] {
        guard case .escape = self.state else { return [] }
        self.state = .text
        return [.escape]
    }

    private mutating func receive(_ octet: UInt8, _ keys: inout [Key]) {
        switch self.state {
        case .text:
            self.receiveText(octet, &keys)
        case .escape:
            switch octet {
            case UInt8(ascii: "["): self.state = .sequence([])
            case UInt8(ascii: "O"): self.state = .singleShift
            case 0x1B: keys.append(.escape)
            default:
                self.state = .text
                self.receiveAlt(octet, &keys)
            }
        case .singleShift:
            self.state = .text
            if let key = Self.cursorKey(octet, isModified: false) { keys.append(key) }
        case .sequence(var octets):
            self.state = .text
            switch octet {
            case 0x20...0x3F:
                octets.append(octet)
                if octets.count <= Self.sequenceLimit { self.state = .sequence(octets) }
            case 0x40...0x7E:
                if octets == Array("200".utf8), octet == UInt8(ascii: "~") {
                    self.state = .paste([])
                } else if let key = Self.key(octets, octet) {
                    keys.append(key)
                }
            case 0x1B:
                self.state = .escape
            default:
                // It was not a sequence.
                break
            }
        case .paste(var octets):
            octets.append(octet)
            if octets.suffix(Self.pasteEnd.count) == Self.pasteEnd[...] {
                self.state = .text
                let text = String(decoding: octets.dropLast(Self.pasteEnd.count), as: UTF8.self)
                if !text.isEmpty { keys.append(.text(text)) }
            } else {
                // The end of a text that is too long still has to be found.
                if octets.count >= Self.pasteLimit + Self.pasteEnd.count {
                    octets.remove(at: octets.count - Self.pasteEnd.count)
                }
                self.state = .paste(octets)
            }
        }
    }

    private mutating func receiveText(_ octet: UInt8, _ keys: inout [Key]) {
        if octet < 0x80 {
            self.scalar = []
            switch octet {
            case 0x1B: self.state = .escape
            case 0x0D, 0x0A: keys.append(.enter)
            case 0x09: keys.append(.tab)
            case 0x08, 0x7F: keys.append(.backspace)
            case 0x01...0x1A: keys.append(.control(Character(UnicodeScalar(octet + 0x60))))
            case 0x1C: keys.append(.control("\\"))
            case 0x00...0x1F: break
            default: keys.append(.character(Character(UnicodeScalar(octet))))
            }
            return
        }
        // An octet that does not continue the scalar begins a new one.
        if octet & 0xC0 != 0x80 { self.scalar = [] }
        self.scalar.append(octet)
        let length: Int =
            switch self.scalar[0] {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 1
            }
        guard self.scalar.count >= length else { return }
        if let text = String(validating: self.scalar, as: UTF8.self), let character = text.first {
            keys.append(.character(character))
        }
        self.scalar = []
    }

    private mutating func receiveAlt(_ octet: UInt8, _ keys: inout [Key]) {
        switch octet {
        case UInt8(ascii: "b"): keys.append(.wordLeft)
        case UInt8(ascii: "f"): keys.append(.wordRight)
        case 0x08, 0x7F: keys.append(.control("w"))
        case 0x20..<0x7F: keys.append(.alt(Character(UnicodeScalar(octet))))
        default:
            keys.append(.escape)
            self.receiveText(octet, &keys)
        }
    }

    /// The key of `ESC [ parameters final`.
    private static func key(_ parameters: [UInt8], _ final: UInt8) -> Key? {
        let numbers = String(decoding: parameters, as: UTF8.self)
            .split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        let isModified = numbers.count > 1 && numbers[1] > 2
        switch final {
        case UInt8(ascii: "Z"): return .backTab
        case UInt8(ascii: "~"):
            switch numbers.first {
            case 1, 7: return .home
            case 3: return .delete
            case 4, 8: return .end
            case 5: return .pageUp
            case 6: return .pageDown
            default: return nil
            }
        default: return self.cursorKey(final, isModified: isModified)
        }
    }

    private static func cursorKey(_ octet: UInt8, isModified: Bool) -> Key? {
        switch octet {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): isModified ? .wordRight : .right
        case UInt8(ascii: "D"): isModified ? .wordLeft : .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        default: nil
        }
    }
}
