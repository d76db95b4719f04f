// The one radio of the controller, shared by advertiser, scanner and initiator as the arbiter decides.

import BluetoothHCI

extension LEHost {
    /// Gives the radio to those roles that the controller can have now, as soon as those that they exclude are off.
    func shareRadio() {
        let links = self.arbiter.allowsEverything ? [] : self.linkRoles
        self.initiator.hearsAllFirst = self.hearsAllFirst(beside: links)
        self.updateScanForInitiator()
        let advertising = self.advertiser.wantedRole
        let scanning = self.scanner.wantedRole
        let initiating = self.initiator.wantedRole
        let wanted = self.isAddressChangeDue ? [] : advertising.union(scanning).union(initiating)
        let granted = self.arbiter.share(wanted, beside: links, now: self.eventLoop.now)
        let advertised = self.advertiser.usedRole
        let scanned = self.scanner.usedRole
        let initiated = self.initiator.usedRole
        func isHeld(_ wanted: RadioRoles, uses used: RadioRoles, beside others: RadioRoles) -> Bool {
            guard granted.isSuperset(of: wanted) else { return true }
            return used.isEmpty && !self.arbiter.allows(wanted.union(others).union(links))
        }
        self.advertiser.isHeld = isHeld(advertising, uses: advertised, beside: scanned.union(initiated))
        self.scanner.isHeld = isHeld(scanning, uses: scanned, beside: advertised.union(initiated))
        self.initiator.isHeld = isHeld(initiating, uses: initiated, beside: advertised.union(scanned))
        guard !self.arbiter.allows(advertising.union(links)), let number = self.advertiser.waitsForLink() else {
            return
        }
        self.log.info("advertising waits for the end of a link: this controller cannot do both")
        self.advertisingCompletions.removeValue(forKey: number)?(.success(()))
    }

    /// Whether the controller cannot initiate beside what the user wants, and can scan in place of it; or by which
    /// commands it can is yet to be heard.
    private func hearsAllFirst(beside links: RadioRoles) -> Bool {
        if self.extendedCommands.areOnTrial, self.arbiter.allows(links.union(.passiveScanning)) { return true }
        let others = self.advertiser.wantedRole.union(self.scanner.userRole)
        guard !others.isEmpty, !self.arbiter.allows(others.union(links).union(.initiating)) else { return false }
        let scanning = others.intersection(.scanning).isEmpty ? RadioRoles.passiveScanning : []
        return self.arbiter.allows(others.union(links).union(scanning))
    }

    /// The roles of the open links.
    private var linkRoles: RadioRoles {
        self.openLinks.reduce(into: []) { $0.formUnion($1.information.isCentral ? .central : .peripheral) }
    }

    /// Whether the controller refused a role for what else its radio does; it then gets the role in a turn of its own.
    func isExcluded(_ role: RadioRoles, of family: RadioRoles, _ status: HCIErrorCode) -> Bool {
        let used = self.advertiser.usedRole.union(self.scanner.usedRole).union(self.initiator.usedRole)
        let others = self.linkRoles.union(used.subtracting(family))
        guard self.arbiter.refuse(role, beside: others) else { return false }
        self.log.debug("the controller refused a role of its radio beside others: \(status)")
        return true
    }
}
