// A file that a command is given.

import CommandLineTool
import Foundation

/// Reads files that the user names.
enum InputFile {
    /// The content of a file.
    ///
    /// - Throws: `Failure` with the line that says why there is none.
    static func read(_ path: String) throws -> Data {
        do {
            return try open(path).readToEnd() ?? Data()
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure("cannot read \(path): \(ErrorText.text(error))")
        }
    }

    /// What is on standard input, up to its end.
    ///
    /// - Throws: `Failure` if it has more octets than that; the rest is not read.
    static func readStandardInput(limit: Int) throws -> Data {
        var data = Data()
        do {
            while data.count <= limit {
                let more = try FileHandle.standardInput.read(upToCount: limit + 1 - data.count) ?? Data()
                guard !more.isEmpty else { return data }
                data += more
            }
        } catch {
            throw Failure("cannot read standard input: \(ErrorText.text(error))")
        }
        throw Failure("standard input has more than \(limit) octets, the most that a value can have")
    }

    /// Opens a file.
    ///
    /// - Throws: `Failure` with the line that says why it cannot be read.
    static func open(_ path: String) throws -> FileHandle {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw Failure("cannot read \(path): there is no such file")
        }
        guard !isFolder.boolValue else { throw Failure("cannot read \(path): it is a folder; name the file in it") }
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw Failure("cannot read \(path): it may not be read by this user")
        }
        return handle
    }
}
