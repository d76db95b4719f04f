// A document of an adapter's state: JSON with a version. A damaged or foreign document, or one of another version, is
// set aside and reported, never a crash; its content is then unknown, as on a new device.

import BluetoothTransport
import BluetoothTypes
import Foundation

/// The content of a document.
protocol StateContent: Codable, Sendable {
    /// The version that this program reads and writes.
    static var version: Int { get }
}

/// A document as it is written.
private struct Document<Content: StateContent>: Codable {
    var version = Content.version
    var content: Content

    init(_ content: Content) { self.content = content }

    /// Reads a document of this program's version; another version may have another form.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.version = try container.decode(Int.self, forKey: .version)
        guard self.version == Content.version else { throw StateVersionError(found: self.version) }
        self.content = try container.decode(Content.self, forKey: .content)
    }
}

extension StateStorage {
    /// A document's content; `nil` if there is none or it cannot be used.
    func load<Content: StateContent>(_ type: Content.Type, from name: String) -> Content? {
        self.decode(name) { data in
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            return try decoder.decode(Document<Content>.self, from: data).content
        }
    }

    /// Reads a document with `body`; if that fails, the document is set aside.
    func decode<Content>(_ name: String, _ body: (Data) throws -> Content) -> Content? {
        do {
            guard let data = try self.read(name) else { return nil }
            return try body(data)
        } catch {
            let cause = (error as? StateVersionError)?.description ?? "it is damaged or foreign"
            do {
                let aside = try self.setAside(name)
                Notice.once("cannot use \(name) of the kept state: \(cause); it was set aside as \(aside)")
            } catch {
                Notice.once("cannot use \(name) of the kept state: \(cause); remove it")
            }
            return nil
        }
    }

    /// Writes a document.
    func save<Content: StateContent>(_ content: Content, to name: String) throws {
        try self.write(content.document(), to: name)
    }
}

extension StateContent {
    /// The octets of the document.
    func document() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return try encoder.encode(Document(self))
    }
}

/// A document of another version.
struct StateVersionError: Error, CustomStringConvertible {
    var found: Int
    var description: String { "it is of version \(self.found)" }
}

extension DeviceAddress {
    /// The kind of the address as documents and their names have it.
    var storedKind: String { self.isRandom ? "random" : "public" }

    /// The name of a document about the device.
    func documentName(_ prefix: String) -> String {
        "\(prefix)\(self.description.filter { $0 != ":" })-\(self.storedKind).json"
    }
}

/// A text as part of a document's name; a long one ends in a hash.
func stateFileName(_ text: String, limit: Int = 64) -> String {
    let name = PrivateFile.name(of: text)
    guard name.utf8.count > limit else { return name }
    return String(name.prefix(limit - 17)) + "~" + String(fnv1a(text.utf8), radix: 16)
}
