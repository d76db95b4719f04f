// Scanning as the user wants it.

import BluetoothHCI
import Fixtures
import Testing

@testable import BluetoothHost

@Suite("Scanner")
struct ScannerTests {
    @Test("GAP/DISC/GENP/BV-01-C sets parameters, then enables")
    func order() {
        var scanner = Scanner()
        let request = ScanParameters()
        scanner.start(request)
        #expect(scanner.next() == .setParameters(request))
        #expect(scanner.completed(.success) == .enable(request))
        #expect(scanner.completed(.success) == nil)
        #expect(scanner.next() == nil)
    }

    @Test("restarts for the same request, which empties the duplicate filter")
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

    @Test("disables again after a refusal, three times in all", arguments: 1...3)
    func disableRefused(refusals: Int) {
        var scanner = Scanner()
        scanner.start(ScanParameters())
        self.settle(&scanner)
        scanner.stop()
        #expect(scanner.next() == .disable)
        for number in 1...refusals {
            #expect(!scanner.isOff && scanner.next() == nil)
            #expect(scanner.completed(.unspecifiedError) == (number < 3 ? .disable : nil))
        }
        if refusals < 3 { #expect(scanner.completed(.success) == nil) }
        #expect(scanner.isOff && scanner.next() == nil)
    }

    @Test("does not repeat a refused request, and tries a new one")
    func refused() {
        var scanner = Scanner()
        scanner.start(ScanParameters())
        #expect(scanner.next() != nil)
        #expect(scanner.completed(.commandDisallowed) == nil)
        #expect(scanner.next() == nil)
        scanner.start(ScanParameters())
        #expect(scanner.next() != nil)
    }

    @Test("stops a start that is on its way")
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

    @Test("stays wanted if another role has the radio, whichever of its commands was refused for that")
    func excluded() {
        for isEnabling in [false, true] {
            var scanner = Scanner()
            scanner.start(ScanParameters())
            #expect(scanner.next() != nil)
            if isEnabling { #expect(scanner.completed(.success) != nil) }
            #expect(scanner.completed(.commandDisallowed, isExcluded: true) == nil)
            #expect(scanner.isOff && scanner.isWanted)
            #expect(scanner.next() == .setParameters(ScanParameters()))
        }
    }

    @Test("does not scan while it is held")
    func held() {
        var scanner = Scanner()
        scanner.start(ScanParameters())
        self.settle(&scanner)
        scanner.isHeld = true
        #expect(scanner.next() == .disable)
        _ = scanner.completed(.success)
        #expect(scanner.next() == nil)
        #expect(scanner.isOff && scanner.isWanted)
        scanner.isHeld = false
        #expect(scanner.next() == .setParameters(ScanParameters()))
    }

    @Test("scans for the initiator, which hears every device again")
    func initiator() {
        var scanner = Scanner()
        scanner.setNeededByInitiator(true)
        let passive = ScanParameters(isActive: false)
        #expect(scanner.isNeeded && !scanner.isWanted)
        #expect(scanner.next() == .setParameters(passive))
        #expect(scanner.completed(.success) == .enable(passive))
        _ = scanner.completed(.success)
        scanner.start(ScanParameters(filtersDuplicates: true))
        #expect(scanner.next() == .disable)
        _ = scanner.completed(.success)
        #expect(scanner.next() == .setParameters(ScanParameters()))
        _ = scanner.completed(.success)
        _ = scanner.completed(.success)
        scanner.setNeededByInitiator(false)
        #expect(scanner.next() == .disable)
        _ = scanner.completed(.success)
        #expect(scanner.next() == .setParameters(ScanParameters(filtersDuplicates: true)))
        scanner.stop()
        #expect(!scanner.isNeeded)
    }

    @Test("does not change a scan for the initiator that reports everything anyway")
    func initiatorChangesNothing() {
        var scanner = Scanner()
        scanner.start(ScanParameters())
        self.settle(&scanner)
        scanner.setNeededByInitiator(true)
        #expect(scanner.next() == nil)
        scanner.setNeededByInitiator(false)
        #expect(scanner.next() == nil)
    }

    private func settle(_ scanner: inout Scanner) {
        while scanner.next() != nil {
            while scanner.completed(.success) != nil {}
        }
    }
}
