// Reads the kernel's folders of devices: files with one short value each, and links from device to device.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A folder of the kernel's device file system. A missing entry reads as empty.
struct SystemFolder {
    let path: String

    /// A subfolder, or the target of a link.
    subscript(name: String) -> SystemFolder { SystemFolder(path: "\(self.path)/\(name)") }

    /// The names of the entries, in no order.
    var entries: [String] {
        guard let folder = opendir(self.path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { octets in
                String(decoding: octets.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// The first line of a file; `nil` if it is missing or empty.
    func text(_ name: String) -> String? {
        let descriptor = open("\(self.path)/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // The kernel returns at most a page.
        var octets = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &octets, octets.count)
        guard count > 0 else { return nil }
        let line = octets[..<count].prefix { $0 != UInt8(ascii: "\n") }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    /// The lines of a file of any length, up to a megabyte.
    func lines(_ name: String) -> [String] {
        let descriptor = open("\(self.path)/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var octets = [UInt8](repeating: 0, count: 16 * 1024)
        while content.count < 1 << 20 {
            let count = read(descriptor, &octets, octets.count)
            guard count > 0 else { break }
            content += octets[..<count]
        }
        return String(decoding: content, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The target of a link.
    func target(_ name: String) -> String? {
        var octets = [CChar](repeating: 0, count: 4096)
        let count = readlink("\(self.path)/\(name)", &octets, octets.count)
        guard count > 0, count < octets.count else { return nil }
        return String(decoding: octets[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The last component of a link's target.
    func linkedName(_ name: String) -> String? {
        self.target(name)?.split(separator: "/").last.map(String.init)
    }
}
