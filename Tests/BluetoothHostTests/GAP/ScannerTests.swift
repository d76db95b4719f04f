// Scanning as the user wants it.

import BluetoothHCI
import Testing

@testable import BluetoothHost

@Suite("Scanner")
struct ScannerTests {
    @Test("GAP/DISC/GENP/BV-01-C parameters, then enable")
    func order() {
        var scanner = Scanner()
        let request = ScanParameters()
        scanner.start(request)
        #expect(scanner.next() == .setParameters(request))
        #expect(scanner.completed(.success) == .enable(request))
        #expect(scanner.completed(.success) == nil)
        #expect(scanner.next() == nil)
    }

    @Test("the same request again empties the duplicate filter")
    func restarts() {
        var scanner = Scanner()
        let request = ScanParameters(filtersDuplicates: true)
        scanner.start(request)
        self.settle(&scanner)
        scanner.start(request)
        #expect(scanner.next() == .disable)
        #expect(scanner.completed(.success) == nil)
        #expect(scanner.next() == .setParameters(request))
    }

    @Test("a refused request is not repeated, a new one is tried")
    func refused() {
        var scanner = Scanner()
        scanner.start(ScanParameters())
        #expect(scanner.next() != nil)
        #expect(scanner.completed(.commandDisallowed) == nil)
        #expect(scanner.next() == nil)
        scanner.start(ScanParameters())
        #expect(scanner.next() != nil)
    }

    @Test("stop while the start is on its way ends without scanning")
    func stopsWhileStarting() {
        var scanner = Scanner()
        scanner.start(ScanParameters())
        _ = scanner.next()
        scanner.stop()
        #expect(scanner.completed(.success) == .enable(ScanParameters()))
        #expect(scanner.completed(.success) == nil)
        #expect(scanner.next() == .disable)
        #expect(scanner.completed(.success) == nil)
        #expect(scanner.next() == nil)
    }

    @Test("a scan waits while the initiator has the radio, and begins again behind it")
    func paused() {
        var scanner = Scanner()
        scanner.pause()
        scanner.start(ScanParameters())
        #expect(scanner.next() == nil)
        #expect(scanner.isWanted)
        #expect(scanner.isPaused)
        scanner.resume()
        self.settle(&scanner)
        #expect(!scanner.isOff)
        scanner.pause()
        #expect(scanner.next() == .disable)
        #expect(scanner.completed(.success) == nil)
        #expect(scanner.isOff)
        #expect(scanner.next() == nil)
        scanner.resume()
        #expect(scanner.next() == .setParameters(ScanParameters()))
    }

    @Test("a refusal to enable is a refusal, too; other circumstances are worth another attempt")
    func refusedToEnable() {
        var scanner = Scanner()
        scanner.start(ScanParameters())
        #expect(scanner.next() != nil)
        #expect(scanner.completed(.success) == .enable(ScanParameters()))
        #expect(scanner.completed(.commandDisallowed) == nil)
        #expect(scanner.isOff)
        #expect(scanner.next() == nil)
        scanner.circumstancesChanged()
        #expect(scanner.next() == .setParameters(ScanParameters()))
        // Nothing changes for a scan that is on, or about to be.
        scanner.circumstancesChanged()
        #expect(scanner.next() == nil)
        #expect(scanner.completed(.success) == .enable(ScanParameters()))
    }

    private func settle(_ scanner: inout Scanner) {
        while scanner.next() != nil {
            while scanner.completed(.success) != nil {}
        }
    }
}
