// A folder for files that are gone when the program ends.

import CommandLineTool
import Foundation

/// Temporary folders.
enum ScratchFolder {
    /// A new folder of this user alone, which the caller removes.
    static func make() throws -> String {
        var template = Array((FileManager.default.temporaryDirectory.path + "/corebluetooth-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Failure("cannot make a temporary folder: set TMPDIR to one of yours")
        }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
