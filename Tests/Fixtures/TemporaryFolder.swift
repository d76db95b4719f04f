// A folder for one test, in a place whose path is short: the path of a socket has at most 107 octets.

import Foundation

/// A folder that is removed with its content when the object goes.
package final class TemporaryFolder: Sendable {
    /// Where it is.
    package let path: String

    /// Makes the folder; the user alone may look into it.
    package init() throws {
        var template = Array("/tmp/ocb-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
        self.path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { self.remove() }

    /// Removes the folder with its content; for a test that keeps paths in it, and no longer the object.
    package func remove() { try? FileManager.default.removeItem(atPath: self.path) }

    /// The path of something in the folder, which need not be there.
    package func callAsFunction(_ name: String) -> String { "\(self.path)/\(name)" }

    /// The names of what is in the folder, sorted.
    package var content: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: self.path)) ?? []).sorted()
    }

    /// The permissions of something in the folder.
    package func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: self(name))
        return attributes[.posixPermissions] as? Int ?? 0
    }

    #if os(Linux)
    /// How many descriptors of this process are of something with this name, else of the folder and files in it.
    package func openDescriptorCount(of name: String? = nil) throws -> Int {
        let expected = name.map(self.callAsFunction)
        return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { descriptor in
            let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
            if let expected { return file == expected }
            return file == self.path || file?.hasPrefix(self.path + "/") == true
        }
    }
    #endif
}
