export function installWeb(_global: object): void {}
